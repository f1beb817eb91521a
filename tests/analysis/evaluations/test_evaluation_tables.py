"""Tables of the page about metrics and people: nothing is missing, and everything leads on."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.urls import reverse

from tests.pages import markup

pytestmark = pytest.mark.django_db


def test_each_gain_of_a_filter_stands_beside_its_placebo(page_of, ready, scored):
    rows = page_of("evaluation", scored).context["part"]["filters"]
    assert {row["metric"] for row in rows} == {"cider", "bleu4"}
    for row in rows:
        for name in ("pearson", "kendall_c"):
            assert re.fullmatch(r"−?\d\.\d{3}\s…\s−?\d\.\d{3}", row[f"{name}_placebo"])


def test_the_weights_of_the_mix_come_weightiest_first(page_of, ready, scored):
    page = page_of("evaluation", scored)
    mixed = {finding.name: each for finding, each in page.context["part"]["findings"]}["fusion"]
    weights = [row["weight"] for row in mixed.rows]
    assert len(weights) == 2
    assert weights == sorted(weights, key=abs, reverse=True)
    assert np.isfinite(weights).all()


def test_odd_captions_lead_to_why_and_marks_to_their_caption(page_of, ready, scored):
    page = page_of("evaluation", scored, metric="bleu4")
    content = markup(page)
    for row in page.context["odd"]:
        caption = row["caption"]
        assert (caption.video_id, caption.system.name) == (row["video"], row["system"])
        assert reverse("analysis:why", args=[scored.slug, caption.pk]) in content
    mark = page.context["spec"]["data"]["values"][-1]["href"]
    address, _, place = mark.partition("#")
    video = page_of("video-scores", scored, int(address.split("/")[-3]))
    assert f'id="{place}"' in markup(video)
