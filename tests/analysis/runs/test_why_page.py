"""The page that says why: what it shows, while it waits, when it cannot, and to whom."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse

from analysis.metrics.encoding.encoder import Encoder
from analysis.selectors.explanations import explanation_name
from analysis.services import explanations
from analysis.services.explanations import explanation_make
from analysis.tasks import metric_run_explain_task
from hits.models import Caption
from tests.factories import make_campaign, make_user
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
HARM = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def asked(monkeypatch, settings, tmp_path, woken) -> list[tuple[int, int]]:
    """Nothing listens; what a worker would have been asked is noted."""
    settings.DATA_DIR = tmp_path / "data"
    explanations._context.cache_clear()
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(metric_run_explain_task, "delay_on_commit", lambda *pks: sent.append(pks))
    return sent


@pytest.fixture
def caption(campaign) -> Caption:
    return Caption.objects.get(
        system__campaign=campaign, system__name="system-1", video__name="v003"
    )


@pytest.fixture
def page_of(client_of, organiser, campaign):
    client = client_of(organiser)

    def opened(caption: Caption, **headers: str):
        address = reverse("analysis:why", args=[campaign.slug, caption.pk])
        return client.get(address, headers=headers)

    return opened


@pytest.fixture
def explained(scored, caption):
    run = scored(["emscore", "emscore_c", "emscore_p", "emscore_r", "emscore_f"])
    explanation_make(run=run.pk, caption=caption.pk)
    return run


def test_words_frames_and_parts_are_shown(
    page_of, explained, caption, asked, django_assert_max_num_queries
):
    with django_assert_max_num_queries(30):
        page = page_of(caption)
    text = markup(page)
    found, picture = page.context["found"], page.context["picture"]
    assert f"{found['precision']:.3f}" in text
    assert len(picture.words) == len(caption.text.split()) + 2
    assert len(picture.frames) == 10
    assert text.count("data-seek=") == len(picture.words) + len(picture.frames)
    for word, cells in picture.rows:
        assert max(cell.similarity for cell in cells) == pytest.approx(word.similarity, abs=1e-4)
    assert asked == []


def test_the_demos_own_model_says_what_it_does_not_know(page_of, explained, caption):
    words = "small demo model"
    for model, is_said in (("demo", True), ("ViT-B-32", False)):
        explained.choices["model"] = model
        explained.save()
        assert (words in shown(page_of(caption))) == is_said


def test_the_first_visit_asks_a_worker_and_the_page_polls(page_of, scored, caption, asked):
    run = scored(["emscore"])
    text = markup(page_of(caption))
    assert "The explanation is being prepared" in text
    assert 'hx-trigger="load delay:2s"' in text
    assert asked == [(run.pk, caption.pk)]
    news = page_of(caption, hx_request="true")
    assert "The explanation is being prepared" in shown(news)
    assert "<html" not in markup(news)
    assert len(asked) == 1  # looking again wakes nobody
    explanation_make(run=run.pk, caption=caption.pk)
    assert page_of(caption, hx_request="true").headers["HX-Refresh"] == "true"


def test_without_a_run_the_way_to_the_metrics_is_shown(page_of, caption, campaign, ask):
    address = reverse("analysis:metrics", args=[campaign.slug])
    text = markup(page_of(caption))
    assert "EMScore has not been computed yet" in text
    assert f'class="button" href="{address}"' in text
    ask(["emscore"])
    assert "The captions are being scored" in shown(page_of(caption))


def test_a_caption_after_the_run_is_said_to_be_unscored(page_of, explained, caption, asked):
    Caption.objects.filter(pk=caption.pk).update(retired_at="2026-01-01T00:00:00Z")
    new = Caption.objects.create(video=caption.video, system=caption.system, text="Corrected.")
    assert "This caption has not been scored yet" in shown(page_of(new))
    assert asked == []
    assert "corrected since" in shown(page_of(caption))


def test_what_could_not_be_explained_is_said_and_tried_again(page_of, scored, caption, asked):
    run = scored(["emscore"])
    default_storage.save(
        explanation_name(run, caption), ContentFile(b'{"problem": "the weights are not there"}')
    )
    assert "The weights are not there." in shown(page_of(caption))
    assert asked == [(run.pk, caption.pk)]


def test_half_a_file_is_not_there_yet(page_of, scored, caption):
    run = scored(["emscore"])
    default_storage.save(explanation_name(run, caption), ContentFile(b'{"problem": "'))
    assert "The explanation is being prepared" in shown(page_of(caption))


def test_a_cut_caption_says_where(page_of, scored, caption, monkeypatch):
    monkeypatch.setattr(Encoder, "cuts", lambda self, text, *_: text == caption.text)
    monkeypatch.setattr(Encoder, "token_text", lambda self, token: "word" if token < 1000 else "[]")
    run = scored(["emscore"])
    explanation_make(run=run.pk, caption=caption.pk)
    text = shown(page_of(caption))
    assert "it stops after “word”" in text
    assert "EMScore not defined" in text


def test_a_frame_is_a_picture_for_those_who_may_see_the_campaign(
    explained, caption, campaign, organiser, client_of
):
    time = explanations.explanation_of(explained, caption)["times"][0]
    address = reverse("analysis:video-frame", args=[campaign.slug, caption.video.pk, time])
    answer = client_of(organiser).get(address)
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert "private" in answer.headers["Cache-Control"]
    assert b"".join(answer.streaming_content).startswith(b"\xff\xd8")
    colleague = make_user("analysts")
    assert client_of(colleague).get(address).status_code == 404
    campaign.colleagues.add(colleague)
    assert client_of(colleague).get(address).status_code == 200


def test_a_stranger_gets_neither_page_nor_frame(explained, caption, campaign, stranger, client_of):
    time = explanations.explanation_of(explained, caption)["times"][0]
    addresses = [
        reverse("analysis:why", args=[campaign.slug, caption.pk]),
        reverse("analysis:video-frame", args=[campaign.slug, caption.video.pk, time]),
    ]
    for address in addresses:
        assert client_of(stranger).get(address).status_code == 404


def test_captions_and_videos_of_another_campaign_are_not_found(
    explained, campaign, organiser, stranger, client_of
):
    other = make_campaign(owner=stranger)
    foreign = Caption.objects.filter(system__campaign=other).first()
    client = client_of(organiser)
    addresses = [
        reverse("analysis:why", args=[campaign.slug, foreign.pk]),
        reverse("analysis:video-frame", args=[campaign.slug, foreign.video_id, 100]),
        reverse("analysis:video-frame", args=[campaign.slug, campaign.videos.first().pk, 77]),
    ]
    for address in addresses:
        assert client.get(address).status_code == 404


def test_names_and_captions_are_never_markup(page_of, scored, caption, campaign, monkeypatch):
    monkeypatch.setattr(Encoder, "token_text", lambda self, token: HARM)
    Caption.objects.filter(pk=caption.pk).update(text=HARM)
    campaign.systems.filter(pk=caption.system_id).update(name=HARM)
    campaign.videos.filter(pk=caption.video_id).update(name=HARM)
    caption.refresh_from_db()
    run = scored(["emscore"])
    explanation_make(run=run.pk, caption=caption.pk)
    text = markup(page_of(caption))
    assert "Each word and its frame" in text
    assert HARM not in text
