"""Who people are to their crowds stands on the page of their links, and nowhere else."""

from __future__ import annotations

import pytest
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.urls import reverse

from analysis.services.downloads import DOWNLOADS
from annotations.models import Annotator, AnnotatorIdentity
from tests.access.matrix import ROWS
from tests.access.test_stored_markup import content_of

WHO = "-who-they-are"
# The organiser's own words, to be sent with the link.
NAMED = {"crowds:link-list", "crowds:link-file", "crowds:link-code"}


@pytest.fixture
def known(campaign, things):
    """Everybody is known to a crowd; what stands in addresses."""
    for person in Annotator.objects.filter(identity=None):
        AnnotatorIdentity.objects.create(
            annotator=person, crowd="mturk", external_id=f"id-{person.pk}"
        )
    AnnotatorIdentity.objects.update(external_id=Concat(F("external_id"), Value(WHO)))
    return things


def test_pages_know_people_by_pseudonyms(known, clients):
    pages = {
        name: clients["organiser"].get(reverse(name, args=[known[arg] for arg in row.args]))
        for name, row in ROWS.items()
        if "GET" in row.methods
    }
    assert {name for name, page in pages.items() if WHO in content_of(page)} == NAMED


@pytest.mark.parametrize("format", ["csv", "json", "tex", "html"])
def test_files_know_people_by_pseudonyms(known, clients, format):
    subjects = {"hit": known["hit"], "video": known["video"]}
    subjects |= dict.fromkeys(("answers", "pairs"), known["pseudonym"])
    files = {}
    for name in DOWNLOADS:
        about = [subjects[name]] if name in subjects else []
        address = "analysis:download-of" if about else "analysis:download"
        args = [known["slug"], name, *about, format]
        files[name] = clients["organiser"].get(reverse(address, args=args))
    made = {name: content_of(file) for name, file in files.items() if file.status_code == 200}
    assert {"annotators", "answers", "hit", "pairs", "ratings"} <= set(made)
    assert known["pseudonym"] in made["annotators"]
    assert [name for name, content in made.items() if WHO in content] == []
