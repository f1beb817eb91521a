"""`python -m tests.faults.machine STEP …`: what somebody does at one web server, then it is gone.

Its disk is the DATA_DIR that it is started with.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import django


def organiser():
    from django.contrib.auth.models import Group, User
    from django.test import Client

    user, _ = User.objects.get_or_create(username="organiser", is_superuser=True)
    user.groups.set(Group.objects.filter(name="organisers"))
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def account() -> str:
    organiser()
    return "made"


def upload(path: str) -> str:
    from hits.models import Upload

    with Path(path).open("rb") as archive:
        answer = organiser().post("/campaigns/import/", {"archive": archive})
    return f"{answer.status_code} {Upload.objects.count()}"


def confirm() -> str:
    from hits.models import Upload

    upload = Upload.objects.get()
    return str(organiser().post(f"/campaigns/import/{upload.pk}/confirm/").status_code)


def session() -> str:
    """A cookie with which gunicorn knows the organiser."""
    [cookie] = organiser().cookies.values()
    return f"{cookie.key}={cookie.value}"


def learn(name: str) -> str:
    """Ask for a metric that learns from the ratings."""
    from hits.models import Campaign

    asked = {"kind": "fusion", "name": name, "scores_after": "on"}
    page = f"/campaigns/{Campaign.objects.get().slug}/metrics/learn/"
    return str(organiser().post(page, asked).status_code)


def rate() -> str:
    from hits.models import Campaign
    from tests.analysis.pages.conftest import rate

    rate(Campaign.objects.get())
    return "rated"


def look(page: str) -> str:
    """The status of an address of the campaign, and a digest of what was sent."""
    from daplatform.shared_files import BucketAway
    from hits.models import Campaign
    from tests.pages import body

    try:
        answer = organiser().get(f"/campaigns/{Campaign.objects.get().slug}/{page}")
    except BucketAway:  # of which error_pages makes a page
        return "503"
    return f"{answer.status_code} {hashlib.sha256(body(answer)).hexdigest()}"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "daplatform.settings")
    django.setup()
    print(globals()[sys.argv[1]](*sys.argv[2:]))  # noqa: T201
