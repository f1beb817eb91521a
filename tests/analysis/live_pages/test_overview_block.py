"""The block at the head of a campaign's page: what it shows, to whom, and how often it asks."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from analysis.models import Result
from annotations.models import Rating
from crowds.models import AuditEntry, LedgerEntry, OutboxMessage, Policy, Publication, Submission
from hits.services.composing import batch_compose
from tests.analysis.live_pages.conftest import compute, rating, take
from tests.factories import make_annotator
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e"
AGO = timedelta(minutes=20)
QUERIES = 26


def text(response) -> str:
    assert response.status_code == 200
    return markup(response)


def address(campaign) -> str:
    return reverse("analysis:overview", args=[campaign.slug])


def found(response):
    return response.context["overview"]


def test_the_campaign_page_has_the_block_and_asks_for_news(client_of, organiser, live):
    page = text(client_of(organiser).get(live.get_absolute_url()))
    assert "Nothing rated yet" in page
    assert f'hx-get="{address(live)}?seen=' in page
    assert 'hx-trigger="load, every 10s"' in page


def test_a_stranger_is_refused(client_of, stranger, live):
    assert client_of(stranger).get(address(live)).status_code == 404


def test_whoever_is_not_logged_in_is_refused(client, live):
    assert client.get(address(live)).status_code == 302


def test_an_analyst_sees_everything_and_is_offered_nothing_to_do(
    look, analyst, live, launched, submission
):
    live.colleagues.add(analyst)
    page = text(look(user=analyst))
    assert "1 submission waits for your decision: pay or do not pay." in page
    assert "/crowd/" not in page
    assert "/links/" not in page


def test_it_changes_nothing_by_post(client_of, organiser, live):
    assert client_of(organiser).post(address(live)).status_code == 405


def test_without_hits_it_leads_to_the_plan(look, draft):
    page = text(look(draft))
    assert reverse("hits:campaign-plan", args=[draft.slug]) in page
    assert "hx-trigger" not in page
    assert "Expected finish" not in page


def test_while_hits_are_composed_it_looks_again(look, draft):
    draft.batches.create(
        number=1, seed=1, hit_size=100, pairs=10, repeats=10, redundancy=1, merge_identical=False
    )
    page = text(look(draft))
    assert "HITs are being composed" in page
    assert "hx-trigger" in page


def test_hits_nobody_was_asked_to_rate_are_to_be_launched(look, composed):
    page = text(look(composed))
    assert "2 HITs ready, none launched yet" in page
    assert reverse("crowds:crowd", args=[composed.slug]) in page
    assert reverse("crowds:link-list", args=[composed.slug]) in page
    assert "hx-trigger" not in page


def test_on_offer_it_waits_for_the_first_rating(look, live):
    page = text(look())
    assert "Nothing rated yet" in page
    assert "nobody has rated in the last 24 hours" in page
    assert 'hx-trigger="every 10s"' in page


def test_turns_are_counted_by_state(look, first_hit, second_hit):
    take(first_hit, count=100, submits=True)
    take(second_hit, count=30)
    progress = found(look()).progress
    assert (progress.hits, progress.turns, progress.turns_finished) == (2, 2, 1)
    assert (progress.turns_open, progress.hits_unoffered) == (0, 0)
    assert (progress.rated, progress.wanted, progress.working) == (130, 200, 1)
    assert progress.percent == 65


def test_a_hit_counts_once_for_everybody_who_is_wanted(look, live, first_hit):
    take(first_hit, count=100, submits=True)
    first_hit.assignments.create(campaign=live, slot=2)
    progress = found(look()).progress
    assert (progress.turns, progress.turns_finished, progress.turns_open) == (3, 1, 2)
    assert (progress.hits, progress.wanted, progress.percent) == (2, 300, 33)


def test_work_that_was_given_up_does_not_count(look, live, first_hit):
    turn = take(first_hit, count=40)
    turn.state = "returned"
    turn.save()
    first_hit.assignments.create(campaign=live, slot=turn.slot)
    progress = found(look()).progress
    assert (progress.rated, progress.wanted, progress.turns_open) == (0, 200, 2)


def test_a_change_of_mind_is_no_further_rating(look, first_hit):
    turn = take(first_hit, count=3)
    rating(turn, first_hit.items.first(), 99, timezone.now(), revision=2).save()
    overview = found(look())
    assert (overview.progress.rated, overview.pace.last_hour) == (3, 3)


def test_batches_that_were_not_offered_are_told_apart(look, live, composed):
    batch_compose(campaign=composed)
    progress = found(look()).progress
    assert (progress.hits, progress.turns_open, progress.hits_unoffered) == (4, 2, 2)
    assert "2 more HITs not offered" in text(look())


def test_the_pace_counts_an_hour_and_a_day(look, first_hit, second_hit):
    now = timezone.now()
    take(first_hit, count=10, when=now - timedelta(minutes=10))
    take(second_hit, count=20, when=now - timedelta(hours=4))
    pace = found(look()).pace
    assert (pace.last_hour, pace.last_day) == (10, 30)
    assert pace.hours == pytest.approx(4, abs=0.01)


def test_older_ratings_are_not_part_of_the_pace(look, first_hit):
    take(first_hit, count=10, when=timezone.now() - timedelta(hours=25))
    overview = found(look())
    assert (overview.pace.last_day, overview.progress.rated) == (0, 10)
    assert overview.finish.when is None
    assert "Ratings by the hour" not in text(look())


def test_a_flood_of_ratings_is_counted_as_far_as_looked(look, first_hit, monkeypatch):
    monkeypatch.setattr("analysis.selectors.progress.COUNTED", 40)
    take(first_hit, count=100, when=timezone.now() - AGO)
    overview = found(look())
    assert (overview.pace.last_day, overview.pace.is_floor) == (40, True)
    assert overview.progress.rated == 100
    assert "more than 40 in 24 hours" in text(look())


def test_the_chart_has_a_bar_for_every_hour(look, first_hit):
    """With the clock stopped, for the hour may end between rating and looking."""
    with time_machine.travel(timezone.now(), tick=False):
        take(first_hit, count=10, when=timezone.now())
        chart = found(look()).chart
    assert [row["ratings"] for row in chart.rows] == [0] * 23 + [10]


def test_paused_it_says_so_and_forecasts_nothing(look, first_hit, launched):
    take(first_hit, count=10)
    assert found(look()).finish.when is not None
    assert "Paused" not in text(look())
    launched.state = "paused"
    launched.save()
    page = text(look())
    assert "Paused<small>nobody new can start until it is resumed" in page
    assert '<span class="badge badge--warning">Paused</span>' in page
    assert found(look()).finish.when is None


def test_money_is_shown_where_there_is_a_budget(look, live, launched):
    assert "Spent" not in shown(look())
    Policy.objects.create(campaign=live, budget=Decimal("50"))
    for kind, amount in (("committed", "20"), ("released", "5"), ("paid", "4"), ("fee", "1")):
        LedgerEntry.objects.create(campaign=live, kind=kind, amount=amount, reason="offer")
    page = text(look())
    assert "<dt>Spent</dt><dd>5.00 USD<small>of 50.00 USD, 15.00 USD more promised</small>" in page


def test_the_result_is_shown_with_the_pass_rate_and_its_n(look, live, rated):
    page = text(look())
    assert "100 %<small>2 of 2 annotators" in page
    assert "human-b leads" in page
    assert "Can we stop?" in page
    assert "From 200 ratings" in page
    shown = found(look()).findings
    assert [row.system for row in shown.standings[:2]] == ["human-b", "system-5"]
    assert (len(shown.standings), shown.systems) == (5, 7)
    assert shown.scale == (shown.standings[-1].low, shown.standings[0].high)
    assert ("valid for a single look" in page) is not shown.enough


def test_all_is_rated_and_decided_so_it_asks_no_more(look, rated):
    page = text(look())
    assert "hx-trigger" not in page
    assert "all requested ratings are in" in page


def test_the_first_result_is_asked_for_once(look, first_hit, woken):
    take(first_hit, count=100, submits=True)
    assert "The first result is being computed." in text(look())
    look()
    assert woken == [("results", Result.objects.get().pk)]


def test_a_result_is_renewed_when_it_has_grown_old_and_not_before(
    look, live, first_hit, second_hit, woken
):
    take(first_hit, count=100, submits=True)
    result = compute(live)
    take(second_hit, count=100)
    assert "A newer result is being computed" not in text(look())
    assert woken == []
    Result.objects.update(finished_at=result.finished_at - timedelta(minutes=6))
    assert "A newer result is being computed" in text(look())
    assert woken == [("results", Result.objects.get(status="waiting").pk)]


def test_an_old_result_of_the_same_ratings_is_not_made_again(look, rated, woken):
    Result.objects.update(finished_at=timezone.now() - timedelta(days=2))
    assert "A newer result is being computed" not in text(look())
    assert woken == []


def test_it_says_why_there_is_no_result(look, live, first_hit):
    take(first_hit, count=1)
    Result.objects.all().delete()
    look()
    Result.objects.update(
        status="failed", problem="too few ratings", finished_at=timezone.now(), summary={}
    )
    assert "Too few ratings." in text(look())


def test_nothing_is_sent_where_nothing_changed(look, first_hit):
    take(first_hit, count=10, when=timezone.now() - timedelta(hours=3, minutes=1))
    seen = found(look()).digest
    same = look(seen=seen)
    assert (same.status_code, body(same)) == (204, b"")
    take_more = Rating.objects.latest("pk")
    rating(take_more.assignment, first_hit.items.get(position=50), 3, timezone.now() - AGO).save()
    assert look(seen=seen).status_code == 200


def test_a_page_that_asks_on_is_told_to_stop(look, rated):
    """What it has seen says that something may change: equal digests say so alike."""
    last = found(look())
    assert look(seen=replace(last, may_change=True).digest).status_code == 200
    assert look(seen=last.digest).status_code == 204


@pytest.fixture
def publication(launched) -> Publication:
    return Publication.objects.create(
        launch=launched, reference="p1", unit_reward=1, fee=0, priced_people=1
    )


@pytest.fixture
def submission(publication) -> Submission:
    return Submission.objects.create(
        crowd="mturk",
        external_id="s1",
        publication=publication,
        annotator=make_annotator(),
        status="submitted",
    )


def sentences(response) -> dict[str, str]:
    return {decision.key: decision.url for decision in found(response).decisions}


def test_nothing_needs_a_decision_where_all_is_well(look, launched):
    assert sentences(look()) == {}
    assert "Needs a decision" not in text(look())


def test_submissions_wait_for_a_person(look, live, submission):
    assert sentences(look()) == {"submissions": f"/campaigns/{live.slug}/crowd/review/?show=open"}
    Submission.objects.update(problem="forged")
    assert sentences(look()) == {"odd": f"/campaigns/{live.slug}/crowd/review/?show=problem"}
    Submission.objects.update(pay="pay", decided_at=timezone.now())
    assert sentences(look()) == {}


def test_acts_whose_outcome_is_unclear_wait_for_a_person(look, live, launched):
    message = OutboxMessage.objects.create(
        campaign=live, crowd="mturk", kind="bonus", state="asking"
    )
    assert sentences(look()) == {"acts": f"/campaigns/{live.slug}/crowd/#outbox"}
    message.state, message.ended_at = "failed", timezone.now()
    message.save()
    assert list(sentences(look())) == ["refusals"]
    OutboxMessage.objects.update(ended_at=timezone.now() - timedelta(days=2))
    assert sentences(look()) == {}


def test_differences_with_the_crowd_and_its_silence_are_told(look, live, launched):
    launched.differences = ["They have one more"]
    launched.synced_at = timezone.now() - timedelta(hours=1)
    launched.save()
    place = f"/campaigns/{live.slug}/crowd/#launch-{launched.pk}"
    expected = {f"differences-{launched.pk}": place, f"sync-{launched.pk}": place}
    assert sentences(look()) == expected
    launched.state = "closed"
    launched.save()
    assert sentences(look()) == {}


def test_another_campaigns_troubles_are_not_ours(look, draft, submission):
    assert found(look(draft)).decisions != ()
    other = type(draft).objects.create(
        owner=draft.owner, name="Other", slug="other", source_digest="1" * 64, state="live"
    )
    assert found(look(other)).decisions == ()


def test_the_last_five_deeds_are_shown(look, live, organiser):
    for number in range(7):
        AuditEntry.objects.create(
            campaign=live, person=organiser if number else None, action=f"deed {number}"
        )
    page = text(look())
    assert "deed 6" in page
    assert "deed 2" in page
    assert "deed 1" not in page
    assert reverse("crowds:crowd", args=[live.slug]) + "#trail" in page


def test_names_do_no_harm(look, live, rated, organiser):
    summary = rated.summary
    summary["numbers"]["ranking"]["systems"][0]["system"] = HOSTILE
    summary["notes"] = [HOSTILE]
    Result.objects.update(summary=summary)
    AuditEntry.objects.create(campaign=live, person=organiser, action="x", detail=HOSTILE)
    content = text(look())
    assert "<script>alert" not in content
    assert content.count("&lt;script&gt;alert") == 4  # sentence, note, standing, trail


def test_it_takes_as_many_queries_however_much_was_rated(
    look, live, first_hit, second_hit, launched, django_assert_num_queries
):
    take(first_hit, count=5)
    compute(live)
    Policy.objects.create(campaign=live, budget=Decimal("50"))
    AuditEntry.objects.create(campaign=live, action="deed")
    look()
    # Session, person, campaign, permissions (2); rule; HITs and ratings (3); pace (3); result (4);
    # launches, messages, submissions, unconfirmed work, problems of videos, budget, ledger,
    # currency, trail, whether all is done.
    with django_assert_num_queries(QUERIES):
        look()
    take(second_hit, count=100, submits=True)
    for number in range(30):
        AuditEntry.objects.create(campaign=live, action=f"deed {number}")
    with django_assert_num_queries(QUERIES):
        look()


def test_no_query_reads_all_ratings(look, first_hit, django_assert_max_num_queries):
    take(first_hit, count=5)
    look()
    with django_assert_max_num_queries(QUERIES) as captured:
        look()
    of_ratings = [
        query["sql"]
        for query in captured.captured_queries
        if 'FROM "annotations_rating"' in query["sql"]
    ]
    assert of_ratings
    for sql in of_ratings:
        assert '"id" >' in sql or "LIMIT" in sql or "INNER JOIN" in sql, sql
