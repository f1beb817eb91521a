"""A factuality campaign: metrics against people at every level, and against the marked words."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.metrics.batch import VideoFile
from analysis.metrics.encoding.encoder import Encoder
from analysis.metrics.encoding.models import ModelChoice, ModelRef
from analysis.selectors.evaluations import evaluation_numbers
from analysis.services import metric_context
from analysis.services.filling import marks_fill_by_metric
from analysis.services.keys import key_create
from analysis.services.metric_runs import metric_run_request
from daplatform.errors import DomainError
from daplatform.jobs.services import job_finish
from hits.models import Caption
from hits.services.composing import batch_compose
from tests.analysis.evaluations.conftest import compute
from tests.analysis.metrics.pretend import PretendEncoders, word_number
from tests.analysis.test_api import ask
from tests.annotations.person import Person, invite, link
from tests.annotations.test_marking import judge
from tests.clips import make_clip
from tests.factories import make_campaign
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def marked(settings, tmp_path, monkeypatch):
    """Two videos, three systems; two of three people mark the second word, and the third as well
    in the first three captions that they see."""
    made = make_campaign(
        videos=2, systems=2, protocol="factuality", hit_size=10, pairs=0, repeats=0, assignments=3
    )
    for video in made.videos.all():
        clip = make_clip(tmp_path / f"{video.pk}.mp4", seconds=1)
        video.url, video.sha256 = "", VideoFile.of(clip).sha256
        video.file.save(f"{video.name}.mp4", ContentFile(clip.read_bytes()))
    batch_compose(campaign=made)
    for number in range(3):
        person = Person(link(invite(made, f"Person {number}")))
        for position in range(6):
            [words] = person.items[position]["sentences"]
            last = 2 if position < 3 else 1
            marks = [[words[1][0], words[last][1], "wrong"]] if number else []
            answer = judge(person, position, marks, 3 + (position < 3) if number else 5)
            assert answer.status_code == 200
        assert person.submit().status_code == 200
    settings.METRIC_STORE, settings.METRIC_DEVICE = tmp_path / "embeddings", "cpu"
    metric_context.device.cache_clear()
    metric_context._job.cache_clear()
    metric_context.context_forget()
    model_ref = ModelRef("pretend", (), lambda device: PretendEncoders())
    monkeypatch.setattr("analysis.metrics.encoding.encoder.find_model", lambda choice: model_ref)
    texts = Caption.objects.values_list("text", flat=True)
    words = {word_number(word): word for text in texts for word in text.split()}
    monkeypatch.setattr(Encoder, "token_text", lambda self, token: words.get(token, "[mark]"))
    run = metric_run_request(
        campaign=made, metrics=["bleu1", "emscore"], model=ModelChoice("any"), label="one"
    )
    job_finish(run)
    yield made
    metric_context.context_forget()


def test_words_that_fit_least_are_filled_in(marked):
    """A copy of the campaign that nobody works on; the scores are those of the store."""
    assert Caption.objects.exclude(filled=None).count() == 0
    with pytest.raises(CommandError, match="only before"):
        call_command("fill_marks", marked.slug, share=0.25)
    type(marked).objects.filter(pk=marked.pk).update(state="draft")
    marks = marks_fill_by_metric(campaign=marked, share=0.25)
    rows = Caption.objects.filter(system__campaign=marked).exclude(filled=None)
    assert rows.count() == 6  # of systems; references are not scored
    words = sum(len(row.text[start:end].split()) for row in rows for start, end, _ in row.filled)
    total = sum(len(row.text.split()) for row in rows)
    assert sum(len(row.filled) for row in rows) == marks <= words
    assert 0.2 <= words / total <= 0.35  # words of the same score go together
    for share in (0, 1):
        with pytest.raises(DomainError, match="between 0 and 1"):
            marks_fill_by_metric(campaign=marked, share=share)


def test_words_are_judged_and_every_level_can_be_chosen(marked, client):
    found = evaluation_numbers(compute(marked, annotators="all")).evaluation
    [words] = found.words
    assert words.metric == "emscore@one"
    assert words.found.videos == 2
    # Two words each in three captions, as two of three saw them first, and one in the others.
    assert words.found.wrong > 6
    assert [part.human for part in found.parts] == ["z", "raw", "paragraph", "sentence", "word"]
    key = key_create(owner=marked.owner, name="mine")
    told = ask(key, f"/api/campaigns/{marked.slug}/evaluation?annotators=all").json()["words"]
    assert [(row["metric"], row["auc"]) for row in told] == [("emscore@one", words.found.auc)]
    client.force_login(marked.owner)
    address = reverse("analysis:evaluation", args=[marked.slug])
    said = shown(client.get(address))
    assert "Words that people marked" in said
    assert f"{100 * words.found.auc:.0f} % of pairs" in said
    for level in ("paragraph", "sentence", "word"):
        answer = client.get(address, {"human": level})
        assert answer.status_code == 200
        assert answer.context["human"] == level


def test_a_campaign_of_ratings_has_no_such_levels(client_of, organiser, scored):
    client = client_of(organiser)
    compute(scored)
    address = reverse("analysis:evaluation", args=[scored.slug])
    assert client.get(address, {"human": "word"}).status_code == 400
    assert "Words that people marked" not in shown(client.get(address))
