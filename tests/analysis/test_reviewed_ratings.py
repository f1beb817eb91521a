"""What reviewing decides reaches the analysis: who is used, who is not, and when."""

from __future__ import annotations

import pytest
from django.utils import timezone

from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.selectors.ratings import counted, evidence_of, ratings_of
from analysis.selectors.results import reviews_fingerprint
from analysis.services.requests import result_request
from analysis.services.snapshots import snapshot_refresh
from analysis.services.verdicts import verdicts_refresh
from analysis.stats.flags import Evidence
from analysis.stats.ratings import Ratings
from crowds.models import Launch, Publication, Submission, Verdict
from crowds.services.reviews import submissions_use
from daplatform.jobs.services import job_run
from tests.factories import make_annotator, make_campaign, make_hit, make_ratings

CAREFUL, CARELESS = [80, 60, 40, 90, 5, 80], [50, 50, 50, 50, 60, 50]


@pytest.fixture
def campaign(db, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return make_campaign(min_pairs=1)


@pytest.fixture
def submissions(campaign):
    """Two people's submissions to one launched HIT: one careful, one not."""
    hit = make_hit(campaign)
    launch = Launch.objects.create(
        batch=hit.batch,
        crowd="mturk",
        title="Rate",
        description="Rate",
        reward="0.99",
        currency="USD",
        people=2,
        minutes_expected=10,
        launched_by=campaign.owner,
    )
    publication = Publication.objects.create(
        launch=launch, reference="r", unit_reward="0.99", fee="0.40", priced_people=2
    )
    rows = []
    for number, scores in enumerate((CAREFUL, CARELESS)):
        turn = make_ratings(hit, make_annotator(), scores)
        rows.append(
            Submission.objects.create(
                crowd="mturk",
                external_id=f"A{number}",
                publication=publication,
                annotator=turn.annotator,
                assignment=turn,
                status="submitted",
                submitted_at=timezone.now(),
            )
        )
    return rows


def ratings(campaign):
    return ratings_of(campaign, snapshot_refresh(campaign=campaign).read())


def use(campaign, submission, word) -> None:
    submissions_use(campaign=campaign, submissions=[submission], use=word, by=campaign.owner)


def test_work_that_a_person_leaves_out_is_not_analysed(campaign, submissions):
    assert len(ratings(campaign)) == 12
    use(campaign, submissions[0], False)
    assert ratings(campaign).annotators == (submissions[1].annotator.pseudonym,)


def test_nothing_is_copied_where_nothing_is_left_out(campaign, submissions):
    columns = snapshot_refresh(campaign=campaign).read()
    assert counted(campaign, columns) is columns


def test_somebody_vouched_for_is_used_whatever_quality_control_says():
    """Two people without any pairs, so that neither can pass."""
    rows = [(who, system, item) for who in ("w1", "w2") for system in "AB" for item in "xyz"]
    table = {
        "annotator": [who for who, _, _ in rows],
        "hit": ["h"] * len(rows),
        "system": [system for _, system, _ in rows],
        "item": [item for _, _, item in rows],
        "kind": ["system"] * len(rows),
        "score": list(range(10, 10 + 5 * len(rows), 5)),
        "seconds": [8.0] * len(rows),
    }
    rated = Ratings.from_columns(table)
    plain, vouched = (
        analyse(rated, Settings(draws=10), Evidence(vouched=names)) for names in ((), ("w1",))
    )
    assert plain.used.tolist() == [False, False]
    assert vouched.used.tolist() == [True, False]
    assert str(plain.signature) != str(vouched.signature)


def test_who_is_vouched_for_is_what_a_person_said(campaign, submissions):
    columns = snapshot_refresh(campaign=campaign).read()
    assert evidence_of(campaign, columns).vouched == []
    use(campaign, submissions[1], True)
    assert evidence_of(campaign, columns).vouched == [submissions[1].annotator.pseudonym]


def test_a_result_is_made_anew_after_a_decision_and_only_then(campaign, submissions):
    choices = Settings(minimum_pairs=1, draws=10, keep_all_annotators=True)
    result = result_request(campaign=campaign, choices=choices)
    job_run(result)
    assert result_request(campaign=campaign, choices=choices).status != "waiting"
    use(campaign, submissions[0], False)
    again = result_request(campaign=campaign, choices=choices)
    assert (again.pk, again.status) == (result.pk, "waiting")
    job_run(result)
    assert result_request(campaign=campaign, choices=choices).status != "waiting"


def test_verdicts_are_kept_for_those_who_review(campaign, submissions):
    verdicts_refresh(campaign=campaign)
    assert Verdict.objects.count() == 2
    assert {verdict.pairs for verdict in Verdict.objects.all()} == {1}
    seen = Verdict.objects.latest("checked_at").checked_at
    verdicts_refresh(campaign=campaign)
    assert Verdict.objects.latest("checked_at").checked_at == seen


def test_a_campaign_without_ratings_has_no_verdicts(campaign):
    verdicts_refresh(campaign=campaign)
    assert not Verdict.objects.exists()
    assert reviews_fingerprint(campaign) == ""
