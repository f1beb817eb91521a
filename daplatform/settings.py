"""Every setting, from the environment. `.env.example` lists the variables with their defaults."""

from __future__ import annotations

import os
import platform
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import django_stubs_ext
import environ
from csp.constants import NONE, SELF

from daplatform import logs, places
from daplatform.broker import PUBLISH_RETRIES, SILENCE_SECONDS, queues, transport_options
from daplatform.environment import bucket, database, flag, number, text, words
from daplatform.languages import LANGUAGES  # noqa: F401 - a setting of Django's
from daplatform.schedule import SCHEDULE

# Lets ModelAdmin[Campaign] and its like be written outside annotations.
django_stubs_ext.monkeypatch()

environ.Env.read_env(places.DOTENV)

DEBUG = flag("DEBUG", default=False)
SECRET_KEY = text("SECRET_KEY", "only-for-development" if DEBUG else None)
ALLOWED_HOSTS = words("ALLOWED_HOSTS", "localhost,127.0.0.1")
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS")
# The address people and marketplaces reach this site under; links sent out begin with it.
PUBLIC_URL = text("PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")

# Everything the platform writes on a machine lies below this folder; several share MEDIA_BUCKET.
DATA_DIR = Path(text("DATA_DIR", str(places.DATA))).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "ninja",  # the files of the page that describes the API
    "daplatform",
    "hits",
    "annotations",
    "crowds",
    "analysis",
    *(["rehearsal"] if find_spec("rehearsal") else []),  # an optional extra
]
MIDDLEWARE = [
    "daplatform.observability.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "daplatform.middleware.WithoutNul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "daplatform.middleware.Private",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "daplatform.urls"
WSGI_APPLICATION = "daplatform.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [places.SITE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Database -----------------------------------------------------------------------------------
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# deploy/gunicorn.conf.py gives pages fewer seconds.
DATABASES = {
    "default": database(
        text("DATABASE_URL", f"sqlite:///{DATA_DIR / 'db.sqlite3'}"),
        seconds=number("DATABASE_SECONDS", 600),
    ),
}

# People -------------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "daplatform.logging_in.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTH_PASSWORD_VALIDATORS[1]["OPTIONS"] = {"min_length": 12}
SESSION_COOKIE_AGE = 12 * 60 * 60  # a working day
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "hits:campaign-list"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "registration/locked_out.html"
AXES_CLIENT_IP_CALLABLE = "daplatform.throttling.client_address"
AXES_VERBOSE = False
# From one address in one web process: log-ins, and links and keys that are not ours.
LOGINS_PER_MINUTE = number("LOGINS_PER_MINUTE", 20)
REFUSALS_PER_MINUTE = number("REFUSALS_PER_MINUTE", 30)
# Turns that visitors from one network may begin before their marketplace has confirmed them: in a
# minute, and at one HIT for as long as a turn that was handed in waits to be confirmed.
CLAIMS_PER_MINUTE = number("CLAIMS_PER_MINUTE", 10)
CLAIMS_PER_HIT = number("CLAIMS_PER_HIT", 5)
CONFIRMATION_MINUTES = number("CONFIRMATION_MINUTES", 60)
# Passwords that are checked at once on one machine.
LOGINS_AT_ONCE = number("LOGINS_AT_ONCE", 1)
_memory = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {"default": {"BACKEND": _memory, "OPTIONS": {"MAX_ENTRIES": 10_000}}}
# Days after the last work of a closed campaign until its people are forgotten; 0 keeps them.
RETENTION_DAYS = number("RETENTION_DAYS", 0)
# For so long what an organiser decides about annotators waits, and can be undone.
UNDO_SECONDS = number("UNDO_SECONDS", 300)

# Security -----------------------------------------------------------------------------------
HTTPS = flag("HTTPS", default=not DEBUG)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = number("HSTS_SECONDS", 31_536_000) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
if BEHIND_PROXY := flag("BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", *words("MEDIA_ORIGINS")],
        "media-src": [SELF, *words("MEDIA_ORIGINS")],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

# Annotators --------------------------------------------------------------------------------
# They come by signed links, without accounts or cookies, often inside a marketplace's frame.
# Who joins by a group link, from one address in one web process.
JOINS_PER_MINUTE = number("JOINS_PER_MINUTE", 20)
FRAME_ANCESTORS = words(
    "FRAME_ANCESTORS", "https://worker.mturk.com,https://workersandbox.mturk.com"
)
MTURK_SUBMIT_ORIGINS = words(
    "MTURK_SUBMIT_ORIGINS", "https://www.mturk.com,https://workersandbox.mturk.com"
)
FORM_ORIGINS = MTURK_SUBMIT_ORIGINS  # where annotators' pages may post a form to

# Mechanical Turk ----------------------------------------------------------------------------
# Where it is: `sandbox`, `production`, or the address of anything that speaks its protocol.
MTURK_ENDPOINT_URL = text("MTURK_ENDPOINT_URL", "").rstrip("/")
MTURK_REGION = text("MTURK_REGION", "us-east-1")
MTURK_ACCESS_KEY_ID = text("MTURK_ACCESS_KEY_ID", "")
MTURK_SECRET_ACCESS_KEY = text("MTURK_SECRET_ACCESS_KEY", "")
# Amazon closed the public service on 30 September 2026; who still has access may say so.
MTURK_IS_OPEN_TO_ME = flag("MTURK_IS_OPEN_TO_ME", default=False)

# Prolific ----------------------------------------------------------------------------------
PROLIFIC_TOKEN = text("PROLIFIC_TOKEN", "")
PROLIFIC_WORKSPACE = text("PROLIFIC_WORKSPACE", "")
PROLIFIC_PROJECT = text("PROLIFIC_PROJECT", "")
PROLIFIC_CURRENCY = text("PROLIFIC_CURRENCY", "USD")
PROLIFIC_FEE_PERCENT = number("PROLIFIC_FEE_PERCENT", 40)
PROLIFIC_DEVICES = words("PROLIFIC_DEVICES", "desktop,tablet,mobile")
PROLIFIC_WEBHOOK_SECRETS = words("PROLIFIC_WEBHOOK_SECRETS")
PROLIFIC_URL = text("PROLIFIC_URL", "https://api.prolific.com").rstrip("/")
PROLIFIC_SIGNED_LINKS = flag("PROLIFIC_SIGNED_LINKS", default=False)
PROLIFIC_KEYS_URL = text("PROLIFIC_KEYS_URL", "")
PROLIFIC_PARAMETERS = words("PROLIFIC_PARAMETERS", "PROLIFIC_PID,STUDY_ID,SESSION_ID")

# Files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = Path(text("STATIC_ROOT", str(DATA_DIR / "static")))
STATICFILES_DIRS = [places.SITE / "static"]
MEDIA_ROOT = DATA_DIR / "media"
MEDIA_BUCKET = text("MEDIA_BUCKET", "")
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "daplatform.disk.WholeFileStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "daplatform.static_files.ModuleStaticFilesStorage"
    },
}
if MEDIA_BUCKET:
    STORAGES["default"] = bucket(
        MEDIA_BUCKET,
        endpoint=text("MEDIA_ENDPOINT_URL", ""),
        region=text("MEDIA_REGION", ""),
        querystring_auth=True,
        querystring_expire=number("MEDIA_LINK_SECONDS", 3600),
        file_overwrite=False,
    )
# An uploaded campaign, packed and unpacked.
UPLOAD_MAX_BYTES = number("UPLOAD_MAX_MB", 2_000) * 1_000_000
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "daplatform.middleware.BoundedUploadHandler",
]
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
# Downloads of more rows are made by a worker and kept for days; one silent so long is taken up.
EXPORT_ROWS_AT_ONCE = number("EXPORT_ROWS_AT_ONCE", 50_000)
EXPORT_KEPT_DAYS = number("EXPORT_KEPT_DAYS", 7)

# Metrics ------------------------------------------------------------------------------------
METRIC_STORE = Path(text("METRIC_STORE", str(DATA_DIR / "embeddings"))).resolve()
METRIC_DEVICE = text("METRIC_DEVICE", "auto")
METRIC_MODELS = words("METRIC_MODELS")
METRIC_RESOURCES = dict(entry.partition("=")[::2] for entry in words("METRIC_RESOURCES"))
METRIC_LEARNED = words("METRIC_LEARNED")

# Crowds -------------------------------------------------------------------------------------
CROWDS = ["crowds.invite", "crowds.mturk", "crowds.prolific"]  # the first is proposed
# How far sending has come. Outside the database, or a restore would put it back as well.
SENDING_MARK = DATA_DIR / "sending.json"

# Queue --------------------------------------------------------------------------------------
# A worker tells four times as often that it is alive; after so long its job is taken by another.
JOB_SILENT_SECONDS = 60.0
CELERY_BROKER_URL = text("CELERY_BROKER_URL", "filesystem://")
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "analysis.tasks.metric_*": {"queue": "gpu"},
    "analysis.tasks.file_draw_task": {"queue": "gpu"},  # web machines have no vl-convert
    "crowds.tasks.*": {"queue": "crowd"},
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 3600
CELERY_TASK_SOFT_TIME_LIMIT = 3540
CELERY_TASK_QUEUES = queues(("default", "crowd", "gpu"), longest_task=CELERY_TASK_TIME_LIMIT)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker as long as it takes
CELERY_BROKER_CONNECTION_TIMEOUT = SILENCE_SECONDS
CELERY_TASK_PUBLISH_RETRY_POLICY = PUBLISH_RETRIES
WAKING_SECONDS = 0.3  # that a page waits at most until its wake-up is sent
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = SCHEDULE
CELERY_BROKER_TRANSPORT_OPTIONS = transport_options(
    CELERY_BROKER_URL, DATA_DIR / "queue", longest_task=CELERY_TASK_TIME_LIMIT
)

# Language, time, logs -----------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
LOCALE_PATHS = [places.SITE / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
LOGGING = logs.configuration(level=text("LOG_LEVEL", "INFO"), readable=DEBUG)

# Watching it run: /metrics answers whoever holds the token, and nobody where there is none.
if METRICS_TOKEN := text("METRICS_TOKEN", ""):
    # Named by process ids: machines that share DATA_DIR must not share these.
    _measures = DATA_DIR / "measures" / platform.node()
    _measures.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(_measures))
