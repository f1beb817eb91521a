"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth import views
from django.templatetags.static import static
from django.urls import include, path
from django.utils.functional import lazy
from django.views.generic import RedirectView

from analysis.api import api
from analysis.views import keys
from daplatform.gauges import metrics
from daplatform.health import healthz, readyz
from daplatform.logging_in import guarded, login

# Where no page names an icon, as beside JSON, browsers ask for this one. Found when asked for: the
# files' names may not be collected yet.
ICON = lazy(static, str)("favicon.svg")

# The admin has a door of its own, under the same address as ever.
admin.site.login = guarded(admin.site.login)  # type: ignore[method-assign,assignment]

# Logging in and out, changing one's password. No sign-up: an administrator adds people.
ACCOUNTS = [
    path("login/", login, name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("password/", views.PasswordChangeView.as_view(), name="password_change"),
    path("password/done/", views.PasswordChangeDoneView.as_view(), name="password_change_done"),
]

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="hits:campaign-list"), name="home"),
    path("admin/", admin.site.urls),
    path("accounts/", include(ACCOUNTS)),
    path("campaigns/", include("hits.urls")),
    path("campaigns/", include("analysis.urls")),
    path("", include("annotations.urls")),
    path("", include("crowds.urls")),
    path("accounts/keys/", keys.key_list, name="key-list"),
    path("accounts/keys/<int:pk>/withdraw/", keys.key_delete, name="key-delete"),
    path("api/", api.urls),
    path("favicon.ico", RedirectView.as_view(url=ICON), name="favicon"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]

handler400 = "daplatform.error_pages.bad_request"
handler500 = "daplatform.error_pages.server_error"
