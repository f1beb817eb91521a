"""The platform with one more address: a bare single-row INSERT behind the same middleware."""

from __future__ import annotations

import json
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

settings.ROOT_URLCONF = "benchmarks.saving_site"
TABLE = """
    CREATE TABLE bare_rating (id bigserial PRIMARY KEY, assignment bigint, position int,
                              score int, key uuid, created_at timestamptz)
"""
INSERT = """
    INSERT INTO bare_rating (assignment, position, score, key, created_at)
    VALUES (%s, %s, %s, %s, %s)
"""


@csrf_exempt
def bare(request: HttpRequest) -> JsonResponse:
    row = json.loads(request.body)
    values = [row["assignment"], row["position"], row["score"], row["key"], timezone.now()]
    with connection.cursor() as cursor:
        cursor.execute(INSERT, values)
    return JsonResponse({"position": row["position"]})


application = get_wsgi_application()  # loads the apps, which the addresses import
urlpatterns = [path("bare", bare), path("", include("daplatform.urls"))]
