"""From the list of annotators: tick, see what it does and costs, confirm, undo."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from analysis.presenting.listings import FLAGS
from annotations.models import Annotator, AnnotatorIdentity
from crowds.models import AuditEntry, Launch, OutboxMessage, Publication, ReviewAction, Submission
from crowds.registry import MODULES
from crowds.services.launches import policy_update
from tests.analysis.pages.conftest import compute
from tests.crowd import Marketplace
from tests.factories import make_annotator, make_ratings
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def market(monkeypatch):
    marketplace = Marketplace()
    monkeypatch.setattr("tests.crowd.MARKET", marketplace)
    monkeypatch.setitem(MODULES, "mturk", "tests.crowd")
    return marketplace


@pytest.fixture
def launched(campaign, market, organiser) -> Publication:
    """Everybody's work was handed in at a crowd, and money was promised for it."""
    policy_update(campaign=campaign, by=organiser, budget=Decimal("20.00"))
    launch = Launch.objects.create(
        batch=campaign.batches.get(),
        crowd="mturk",
        title="Rate",
        description="Rate captions",
        reward=Decimal("1.00"),
        currency="USD",
        people=3,
        minutes_expected=30,
        launched_by=organiser,
    )
    turns = campaign.turns.order_by("pk")
    publication = launch.publications.create(
        reference="p", unit_reward=Decimal("1.00"), fee=Decimal("1.00"), priced_people=len(turns)
    )
    campaign.ledger.create(
        kind="committed",
        amount=Decimal("6.00"),
        reason="offer",
        publication=publication,
    )
    for number, turn in enumerate(turns):
        AnnotatorIdentity.objects.create(
            annotator=turn.annotator, crowd="mturk", external_id=f"W{number}"
        )
        publication.submissions.create(
            crowd="mturk",
            external_id=f"S{number}",
            annotator=turn.annotator,
            assignment=turn,
            status="submitted",
            submitted_at=turn.submitted_at,
        )
    return publication


@pytest.fixture
def action(campaign, client_of, organiser, launched, ready):
    """What the page sends, by the campaign's owner unless somebody else is named."""

    def send(kind: str, *people: str, query: str = "", user=organiser, follow=False, **sent):
        address = reverse("analysis:annotators-order", args=[campaign.slug])
        data = {"kind": kind, "annotator": list(people)} | sent
        return client_of(user).post(address + query, data, follow=follow)

    return send


def confirmed(action, response, kind, *people, **sent):
    """The form as the page showed it, sent with its button."""
    form = response.context["form"]
    shown = {"once": form["once"].value(), "seen": response.context["seen"], "confirm": "yes"}
    return action(kind, *people, **{**shown, **sent})


@pytest.fixture
def names(campaign) -> list[str]:
    people = Annotator.objects.filter(assignments__campaign=campaign).order_by("pk")
    return [each.pseudonym for each in people]


@pytest.fixture
def constant(names) -> str:
    """Who said 50 to everything."""
    return names[-1]


def test_looking_at_an_order_gives_none(action, names):
    response = action("approve", *names[:2])
    assert response.status_code == 200
    content = markup(response)
    assert "Pay for 2 submissions" in content
    assert "2.40" in content
    assert "reserved at launch" in content
    assert not ReviewAction.objects.exists()
    assert not Submission.objects.exclude(pay="").exists()


def test_a_confirmed_order_is_given_once_however_often_it_is_sent(action, names):
    seen = action("approve", *names[:2])
    for _ in range(2):
        assert confirmed(action, seen, "approve", *names[:2]).status_code == 302
    assert ReviewAction.objects.get().submissions == 2
    assert OutboxMessage.objects.filter(kind="approve").count() == 2


def test_a_reason_is_proposed_from_the_flags_and_can_be_changed(action, constant):
    seen = action("reject", constant)
    proposal = seen.context["form"]["text"].value()
    assert "more than eight captions in a row got the same score" in proposal
    assert confirmed(action, seen, "reject", constant, text="All alike.").status_code == 302
    assert Submission.objects.get(pay="refuse").reason == "All alike."


def test_only_what_is_true_of_everybody_is_proposed(action, names, constant):
    text = action("reject", *names).context["form"]["text"].value() or ""
    assert "the same score" not in text


def test_nothing_is_proposed_for_people_whose_work_was_not_analysed(
    action, constant, campaign, names
):
    """A newcomer's ratings are not in the result: nobody knows whether a reason is true of them."""
    newcomer = make_annotator()
    first = campaign.batches.get().hits.get(number=1)
    make_ratings(first, newcomer, [50] * first.items.count())
    assert "the same score" in action("reject", constant).context["form"]["text"].value()
    form = action("reject", constant, newcomer.pseudonym).context["form"]
    assert not form["text"].value()


def test_a_rejection_without_words_is_not_possible(action, constant):
    seen = action("reject", constant)
    response = confirmed(action, seen, "reject", constant, text="")
    assert response.status_code == 400
    assert not ReviewAction.objects.exists()


def test_a_bonus_asks_how_much_before_it_says_what_it_costs(action, names):
    first = action("bonus", *names[:2])
    assert first.status_code == 200
    assert "See the effect and the cost" in shown(first)
    once = first.context["form"]["once"].value()
    seen = action("bonus", *names[:2], once=once, amount="0.50", text="Careful.")
    assert "Pay 2 bonuses" in shown(seen)
    assert seen.context["outcome"].promised == Decimal("1.20")
    changed = confirmed(action, seen, "bonus", *names[:2], amount="5.00", text="Careful.")
    assert changed.status_code == 400
    assert "Something has changed since you opened the page" in shown(changed)
    done = confirmed(action, seen, "bonus", *names[:2], amount="0.50", text="Careful.")
    assert done.status_code == 302
    assert ReviewAction.objects.get().cost == Decimal("1.20")


def test_what_the_budget_does_not_allow_is_refused_in_a_sentence(action, names):
    response = action("bonus", *names, once="1", amount="100.00", text="Careful.")
    assert response.status_code == 400
    assert "of the budget is left" in shown(response)


def test_everybody_who_fits_the_filter_is_meant(action, constant, names):
    seen = action("exclude", query="?show=failed", everybody="yes")
    assert [each.pseudonym for each in seen.context["chosen"]] == [constant]
    done = confirmed(action, seen, "exclude", query="?show=failed", everybody="yes")
    assert done["Location"].endswith("?show=failed")
    assert ReviewAction.objects.get().people == 1


def test_the_list_marks_who_is_excluded(action, page_of, campaign, constant):
    confirmed(action, action("exclude", constant), "exclude", constant)
    rows = page_of("annotator-list", campaign).context["rows"]
    assert [row["annotator"] for row in rows if row["is_excluded"]] == [constant]
    assert "not invited again" in shown(page_of("annotator-detail", campaign, constant))


def test_an_order_is_shown_and_undone_from_the_page(action, campaign, client_of, organiser, names):
    confirmed(action, action("approve", *names[:2]), "approve", *names[:2])
    client = client_of(organiser)
    page = client.get(
        reverse("crowds:review-action-list", args=[campaign.slug]),
        {"next": "/campaigns/"},
        headers={"HX-Request": "true"},
    )
    content = markup(page)
    assert "waiting" in content
    assert "under 5 minutes left" in content
    again = client.get(
        reverse("crowds:review-action-list", args=[campaign.slug]),
        {"seen": page.context["digest"]},
        headers={"HX-Request": "true"},
    )
    assert again.status_code == 204
    undo = reverse("crowds:review-action-undo", args=[campaign.slug, ReviewAction.objects.get().pk])
    assert client.post(undo, {"next": "/campaigns/"})["Location"] == "/campaigns/"
    assert not Submission.objects.exclude(pay="").exists()
    assert AuditEntry.objects.first().action == "undid"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:1"])
def test_undoing_leads_to_no_other_site(
    action, campaign, client_of, organiser, constant, elsewhere
):
    confirmed(action, action("approve", constant), "approve", constant)
    undo = reverse("crowds:review-action-undo", args=[campaign.slug, ReviewAction.objects.get().pk])
    response = client_of(organiser).post(undo, {"next": elsewhere})
    assert response["Location"] == reverse("crowds:review-action-list", args=[campaign.slug])


def test_a_plain_word_is_an_address_like_any_other(
    action, campaign, client_of, organiser, constant
):
    confirmed(action, action("approve", constant), "approve", constant)
    undo = reverse("crowds:review-action-undo", args=[campaign.slug, ReviewAction.objects.get().pk])
    assert client_of(organiser).post(undo, {"next": "word"})["Location"] == "word"


@pytest.mark.parametrize("message", ["word", "0", "9" * 5_000])
def test_an_act_that_is_none_undoes_nothing(
    action, campaign, client_of, organiser, constant, message
):
    confirmed(action, action("approve", constant), "approve", constant)
    undo = reverse("crowds:review-action-undo", args=[campaign.slug, ReviewAction.objects.get().pk])
    assert client_of(organiser).post(undo, {"message": message}).status_code == 404
    assert not ReviewAction.objects.get().messages.filter(state="undone").exists()


def test_nobody_ticked_is_nothing_ordered(action):
    response = action("approve", follow=True)
    assert "Select at least one annotator." in shown(response)


def test_there_is_no_such_order(action, constant):
    assert action("promote", constant).status_code == 400


def test_people_of_other_campaigns_cannot_be_ordered_about(action):
    assert action("approve", "a-nobody").status_code == 302
    assert not ReviewAction.objects.exists()


def test_an_analyst_sees_no_buttons_and_is_refused(
    action, campaign, client_of, analyst, names, ready
):
    campaign.colleagues.add(analyst)
    listed = client_of(analyst).get(reverse("analysis:annotator-list", args=[campaign.slug]))
    assert 'name="annotator"' not in markup(listed)
    assert "order-kind" not in markup(listed)
    assert action("approve", names[0], user=analyst).status_code == 403


def test_a_stranger_is_refused(action, stranger, names):
    assert action("approve", names[0], user=stranger).status_code == 404


def test_who_was_rejected_stays_in_the_list_and_can_be_excluded(
    action, constant, campaign, page_of
):
    seen = action("reject", constant)
    confirmed(action, seen, "reject", constant, text="All alike.")
    compute(campaign)  # their ratings are in no number now
    for show in ("", "flagged", "rejected"):
        rows = {
            row["annotator"]: row
            for row in page_of("annotator-list", campaign, show=show, sort="p").context["rows"]
        }
        assert rows[constant]["status"] == "left out"
        assert ("not paid", FLAGS["rejected"]) in rows[constant]["flags"]
    assert list(rows) == [constant]
    assert page_of("annotator-detail", campaign, constant).status_code == 200
    everybody = action("exclude", query="?show=rejected", everybody="yes")
    assert [each.pseudonym for each in everybody.context["chosen"]] == [constant]


def test_a_rejection_says_who_passed_and_what_is_left_afterwards(action, names, constant):
    content = markup(action("reject", *names, once="1", text="All alike."))
    assert "4 of the 5 selected passed quality control" in content
    assert "20.00 USD<small>afterwards, 14.00 USD now" in content
    alone = markup(action("reject", constant, once="1", text="All alike."))
    assert "passed quality control" not in alone


@pytest.mark.parametrize("kind", ["readmit", "reject"])
def test_where_nothing_would_happen_the_page_leads_back(action, names, kind):
    Submission.objects.all().delete()
    content = markup(action(kind, names[0], once="1", text="All alike."))
    assert "This would change nothing" in content
    assert "See the effect and the cost" not in content


def test_an_address_left_in_the_bar_leads_back_to_the_list(campaign, client_of, organiser):
    address = reverse("analysis:annotators-order", args=[campaign.slug])
    response = client_of(organiser).get(f"{address}?show=failed")
    assert response.status_code == 302
    assert response.url.endswith(f"{campaign.slug}/annotators/?show=failed")
