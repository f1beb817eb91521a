"""Logging in and out, changing one's password. No sign-up: an administrator adds people."""

from __future__ import annotations

from django.contrib.auth import views
from django.urls import path

from daplatform.logging_in import login

urlpatterns = [
    path("login/", login, name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("password/", views.PasswordChangeView.as_view(), name="password_change"),
    path("password/done/", views.PasswordChangeDoneView.as_view(), name="password_change_done"),
]
