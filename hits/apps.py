from __future__ import annotations

from django.apps import AppConfig


class HitsConfig(AppConfig):
    name = "hits"
