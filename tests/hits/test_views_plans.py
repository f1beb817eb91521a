from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest
from django.urls import reverse

from hits.composition.shape import Shape
from hits.misfits import find_misfit
from hits.models import Caption, System
from hits.selectors import batch_reach, campaign_pay
from tests.factories import make_campaign
from tests.pages import markup, shown

SHAPE = {"hit_size": 100, "pairs": 10, "repeats": 10}
SETTINGS = {"redundancy": 3, "assignments": 10, "reward": "2.50", "pass_rate": 35, **SHAPE}
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser, videos=40, systems=4)


@pytest.fixture
def plan_url(campaign):
    return reverse("hits:campaign-plan", args=[campaign.slug])


def test_it_shows_the_plan_of_the_saved_settings(client_of, organiser, plan_url):
    page = client_of(organiser).get(plan_url)
    plan = page.context["plan"]
    assert (plan.captions, plan.systems, plan.hits) == (200, 5, 3)  # 70 fresh captions a HIT
    assert plan.cost.total == Decimal("3.57")  # 3 × 0.99 and a fifth of it, up to the cent
    assert "3.57" in shown(page)


def test_trying_settings_out_changes_nothing(client_of, organiser, campaign, plan_url):
    page = client_of(organiser).get(plan_url, SETTINGS, **HTMX)
    plan = page.context["plan"]
    assert plan.hits == 9  # 200 × 3 / 70, rounded up
    assert plan.cost.reward == Decimal("225.00")
    assert plan.cost.fee == Decimal("90.00")
    assert "saved: 3" in shown(page)
    campaign.refresh_from_db()
    assert campaign.redundancy == 1


def test_htmx_gets_the_results_alone(client_of, organiser, plan_url):
    content = markup(client_of(organiser).get(plan_url, SETTINGS, **HTMX))
    assert "<html" not in content
    assert "<form" not in content


def test_saving_keeps_the_settings(client_of, organiser, campaign, plan_url):
    response = client_of(organiser).post(plan_url, SETTINGS)
    assert response.url == plan_url
    campaign.refresh_from_db()
    assert (campaign.redundancy, campaign.assignments) == (3, 10)
    assert campaign.reward == Decimal("2.50")
    assert campaign.assumed_pass_rate == pytest.approx(0.35)


def test_a_small_campaign_can_have_smaller_hits(client_of, organiser, campaign, plan_url):
    smaller = SETTINGS | {"hit_size": 40, "pairs": 4, "repeats": 4}
    client = client_of(organiser)
    assert client.get(plan_url, smaller, **HTMX).context["plan"].hits == 22  # 200 × 3 / 28
    assert client.post(plan_url, smaller).url == plan_url
    campaign.refresh_from_db()
    assert (campaign.hit_size, campaign.pairs, campaign.repeats) == (40, 4, 4)


def test_it_says_why_numbers_do_not_fit_into_a_hit(client_of, organiser, campaign, plan_url):
    client = client_of(organiser)
    crowded = SETTINGS | {"hit_size": 20}
    for response in (client.get(plan_url, crowded, **HTMX), client.post(plan_url, crowded)):
        assert response.status_code == 400
        assert "size 20 cannot hold 10 pairs" in shown(response)
    campaign.refresh_from_db()
    assert campaign.hit_size == 100


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("redundancy", 0),
        ("assignments", "many"),
        ("reward", "-1"),
        ("reward", "0.999"),
        ("pass_rate", 0),
        ("pass_rate", 101),
        ("reward", "NaN"),
        ("hit_size", 45),
        ("pairs", -1),
    ],
)
def test_it_refuses_impossible_settings_and_shows_the_saved_plan(
    client_of, organiser, campaign, plan_url, name, value
):
    client = client_of(organiser)
    tried = client.get(plan_url, SETTINGS | {name: value}, **HTMX)
    saved = client.post(plan_url, SETTINGS | {name: value})
    assert (tried.status_code, saved.status_code) == (400, 400)
    assert tried.context["plan"].hits == 3
    assert name in saved.context["form"].errors
    campaign.refresh_from_db()
    assert campaign.redundancy == 1


def test_it_refuses_to_save_nothing(client_of, organiser, plan_url):
    assert client_of(organiser).post(plan_url, {}).status_code == 400


def test_a_live_campaign_keeps_its_settings(client_of, organiser, campaign, plan_url):
    campaign.state = "live"
    campaign.save()
    response = client_of(organiser).post(plan_url, SETTINGS)
    assert response.status_code == 400
    assert "is live" in shown(response)
    campaign.refresh_from_db()
    assert campaign.redundancy == 1


def test_an_analyst_may_try_out_but_not_save(client_of, analyst, campaign, plan_url):
    campaign.colleagues.add(analyst)
    client = client_of(analyst)
    assert client.get(plan_url, SETTINGS, **HTMX).context["plan"].hits == 9
    assert client.post(plan_url, SETTINGS).status_code == 403


def test_without_captions_there_is_nothing_to_plan(client_of, organiser, campaign, plan_url):
    System.objects.filter(campaign=campaign).update(role="reference")
    page = client_of(organiser).get(plan_url)
    assert "Nothing to plan yet" in shown(page)


@pytest.fixture
def small(organiser):
    return make_campaign(owner=organiser, videos=12, systems=3)  # 48 captions, 12 controls


def test_it_says_that_no_hit_can_be_made_and_fills_in_numbers_that_fit(client_of, organiser, small):
    client, address = client_of(organiser), reverse("hits:campaign-plan", args=[small.slug])
    page = client.get(address)
    assert "has 48 and 12. Captions per HIT 70, Pairs per HIT 7" in shown(page)
    assert "Next: compose" not in shown(page)
    filled = client.get(address + page.context["fitting"])
    assert filled.context["misfit"] is None
    assert filled.context["form"]["hit_size"].value() == "70"
    assert filled.context["form"]["reward"].value() == "0.99"


def test_the_numbers_it_fills_in_can_pass_quality_control(client_of, organiser, small):
    small.min_pairs = 10
    small.save()
    client, address = client_of(organiser), reverse("hits:campaign-plan", args=[small.slug])
    filled = client.get(address + client.get(address).context["fitting"])
    assert filled.context["misfit"] is None
    assert filled.context["reach"].per_hit >= 10
    assert filled.context["reach"].is_enough


def test_the_design_for_twelve_videos_is_the_cheapest_that_shows_every_caption(
    client_of, organiser, small
):
    client = client_of(organiser)
    compose = reverse("hits:batch-compose", args=[small.slug])
    assert client.post(compose, {"fit": "yes"}).status_code == 302
    batch = small.batches.get()
    shown_once = Counter(
        batch.hits.get().items.filter(kind="system").values_list("caption", flat=True)
    )
    assert len(shown_once) == sum(shown_once.values()) == 48  # one HIT, nothing twice
    assert batch_reach(batch).is_enough
    assert "one HIT then shows all 48 captions" in str(
        find_misfit(Shape(), captions=48, controls=12)
    )


def test_too_few_controls_for_one_hit_are_made_up_for_by_more_hits(client_of, organiser):
    few = make_campaign(owner=organiser, videos=3, systems=15, min_pairs=10)
    compose = reverse("hits:batch-compose", args=[few.slug])
    client_of(organiser).post(compose, {"fit": "yes"})
    few.refresh_from_db()
    assert few.redundancy > 1
    assert batch_reach(few.batches.get()).is_enough


def test_the_pay_by_the_hour_stands_beside_the_reward(client_of, organiser, campaign, plan_url):
    client = client_of(organiser)
    assert "Pay per hour" in shown(client.get(plan_url))
    pay = campaign_pay(campaign)
    assert f"{pay.hourly} USD" in shown(client.get(campaign.get_absolute_url()))
    low = client.get(plan_url, SETTINGS | {"reward": "0.10"}, **HTMX)
    assert "would pay 8.00 USD an hour" in shown(low)
    fair = client.get(plan_url, SETTINGS | {"reward": str(low.context["pay"].fair)}, **HTMX)
    assert "would pay 8.00 USD an hour" not in shown(fair)


def test_a_plan_that_nobody_can_pass_says_so(client_of, organiser, campaign, plan_url):
    campaign.min_pairs, campaign.max_hits_per_annotator = 50, 2
    campaign.save()
    page = client_of(organiser).get(plan_url)
    assert not page.context["reach"].is_enough
    assert "Nobody could pass" in shown(page)


def test_the_campaign_leads_to_the_plan_where_no_hit_can_be_made(client_of, organiser, small):
    page = markup(client_of(organiser).get(small.get_absolute_url()))
    assert "Repeats per HIT 8 would fit" in page
    assert "Change the plan" in page
    assert "Compose HITs" not in page


def test_only_a_saved_plan_leads_to_composing(client_of, organiser, campaign, plan_url):
    client = client_of(organiser)
    assert "Next: compose" in shown(client.get(plan_url))
    tried = markup(client.get(plan_url, SETTINGS, **HTMX))
    assert "Next: compose" not in tried
    assert "Save this plan before" in tried
    same = {field.name: field.value() for field in client.get(plan_url).context["form"]}
    assert "Next: compose" in shown(client.get(plan_url, same, **HTMX))


@pytest.fixture
def thin(organiser):
    """3 control captions, and people who may take one HIT: nobody could rate 10 pairs."""
    return make_campaign(
        owner=organiser, videos=3, systems=14, min_pairs=10, max_hits_per_annotator=1
    )


def test_numbers_with_which_nobody_could_pass_are_not_proposed(client_of, organiser, thin):
    client = client_of(organiser)
    plan = client.get(reverse("hits:campaign-plan", args=[thin.slug]))
    assert plan.context["fitting"] == ""
    assert "raise “HITs per person, at most” to 4 or more" in shown(plan)
    assert "to 3." in shown(plan)  # the pairs that quality control may need instead
    page = markup(client.get(thin.get_absolute_url()))
    assert "Use these numbers" not in page
    assert reverse("hits:campaign-settings", args=[thin.slug]) in page


@pytest.mark.parametrize("change", [{"max_hits_per_annotator": 4}, {"min_pairs": 3}])
def test_either_setting_that_it_names_makes_the_campaign_possible(
    client_of, organiser, thin, change
):
    for name, value in change.items():
        setattr(thin, name, value)
    thin.save()
    compose = reverse("hits:batch-compose", args=[thin.slug])
    assert client_of(organiser).post(compose, {"fit": "yes"}).status_code == 302
    assert batch_reach(thin.batches.get()).is_enough


def test_a_list_without_hits_offers_no_plan_that_cannot_work(client_of, organiser, thin, campaign):
    client = client_of(organiser)
    compose = '<button class="button" type="submit">Compose HITs'
    assert compose in markup(client.get(reverse("hits:hit-list", args=[campaign.slug])))
    assert compose not in markup(client.get(reverse("hits:hit-list", args=[thin.slug])))
    campaign.min_pairs, campaign.max_hits_per_annotator = 50, 2
    campaign.save()
    page = markup(client.get(reverse("hits:hit-list", args=[campaign.slug])))
    assert compose not in page
    assert "Nobody could pass" in page
    assert "Compose HITs</button>" not in markup(client.get(campaign.get_absolute_url()))


def test_merged_captions_that_leave_too_few_are_advised_what_can_pass(client_of, organiser):
    alike = make_campaign(
        owner=organiser,
        videos=12,
        systems=6,
        min_pairs=10,
        max_hits_per_annotator=1,
        merge_identical=True,
    )
    for caption in Caption.objects.filter(system__campaign=alike, system__role="candidate"):
        caption.text = f"One wording of {caption.video.name}."
        caption.save()
    compose = reverse("hits:batch-compose", args=[alike.slug])
    page = client_of(organiser).post(compose)
    advised = dict(re.findall(r"(\w+ per HIT) (\d+)", page.context["error"]))
    assert int(advised["Pairs per HIT"]) >= 10
    alike.hit_size, alike.pairs, alike.repeats = map(int, advised.values())
    alike.save()
    assert client_of(organiser).post(compose).status_code == 302
    assert batch_reach(alike.batches.get()).is_enough


def test_fair_pay_stays_fair_in_numbers_that_are_filled_in(client_of, organiser, small):
    client, address = client_of(organiser), reverse("hits:campaign-plan", args=[small.slug])
    small.reward = campaign_pay(small).fair
    small.save()
    filled = client.get(address + client.get(address).context["fitting"]).context["pay"]
    assert filled.reward == filled.fair < small.reward
