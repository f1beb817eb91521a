"""A video that was sent back: its person sees the remark, corrects it, and nothing is lost."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotations.models import Assignment, Correction, Mark, Rating
from crowds.invite.invitations import annotators_invite
from crowds.models import AuditEntry
from crowds.services.erasing import annotator_erase
from crowds.services.reviews import video_send_back
from daplatform.errors import DomainError
from hits.services.campaigns import campaign_close
from tests.annotations.person import EVIDENCE, Person, link
from tests.annotations.test_marking import WRONG, campaign, judge, marks_at, person  # noqa: F401
from tests.pages import shown

pytestmark = pytest.mark.django_db
REMARK = "Anna, is the second word right?"


@pytest.fixture
def finished(person):  # noqa: F811
    for at in range(person.work["total"]):
        assert judge(person, at, marks_at(person, at, WRONG), 3).status_code == 200
    assert person.submit(comment="All done.").status_code == 200
    return person


def video_at(person, position):  # noqa: F811
    return person.assignment.hit.items.get(position=position).caption.video


def send_back(person, position=0):  # noqa: F811
    """Returns the positions of the video's page."""
    video = video_at(person, position)
    video_send_back(assignment=person.assignment, video=video, remark=REMARK)
    items = person.assignment.hit.items.filter(caption__video=video)
    return sorted(items.values_list("position", flat=True))


def come_back(person, campaign):  # noqa: F811
    """Open the same link again."""
    again = Person(link(annotators_invite(campaign=campaign, names=["Anna"])[0]))
    assert again.assignment == person.assignment
    first = again.work["sentBack"][0]["position"]
    again.keep(again.get(f"/rate/item?position={first}").json()["items"])
    return again


def test_the_same_link_leads_to_the_video_with_the_remark(finished, campaign):  # noqa: F811
    first = send_back(finished, finished.work["total"] - 1)[0]
    again = come_back(finished, campaign)
    assert again.work["sentBack"] == [{"position": first, "remark": REMARK}]
    assert again.items[first]["answer"]["score"] == 3
    assert again.client.get(again.items[first]["media"]).status_code != 410


def test_a_correction_is_a_revision_and_the_state_stays(finished, campaign):  # noqa: F811
    before = list(Rating.objects.values()), list(Mark.objects.values())
    at = send_back(finished)[0]
    again = come_back(finished, campaign)
    assert judge(again, at, marks_at(again, at, WRONG[:1]), 4).json()["revision"] == 2
    assert again.submit(comment="Mended.").status_code == 200
    assert list(Rating.objects.values())[: len(before[0])] == before[0]
    assert list(Mark.objects.values())[: len(before[1])] == before[1]
    assert Correction.objects.get().done_at is not None
    assert finished.assignment.state == Assignment.State.SUBMITTED
    assert finished.assignment.comment == "All done.\nMended."
    assert again.client.get(again.page_path).status_code == 302  # to the thanks
    assert judge(again, at, [], 5).json()["code"] == "work-closed"


def test_what_is_sent_back_after_the_page_was_opened_stays_open(finished, campaign):  # noqa: F811
    page = send_back(finished)
    again = come_back(finished, campaign)
    other = next(at for at in range(again.work["total"]) if at not in page)
    later = send_back(finished, other)[0]
    answer = again.submit()
    assert answer.status_code == 200
    assert answer.json()["next"] == again.page_path
    assert [each.done_at is None for each in Correction.objects.all()] == [False, True]
    once_more = come_back(finished, campaign)
    assert [each["position"] for each in once_more.work["sentBack"]] == [later]
    assert once_more.submit().json()["next"] != once_more.page_path
    assert not Correction.objects.filter(done_at=None).exists()


def test_other_videos_stay_closed(finished, campaign):  # noqa: F811
    page = send_back(finished)
    again = come_back(finished, campaign)
    other = next(at for at in range(again.work["total"]) if at not in page)
    again.keep(again.get(f"/rate/item?position={other}").json()["items"])
    assert judge(again, other, [], 5).json()["code"] == "work-closed"
    assert not Rating.objects.filter(revision=2).exists()


def test_a_repeated_post_is_saved_once(finished, campaign):  # noqa: F811
    at = send_back(finished)[0]
    again = come_back(finished, campaign)
    whole = {"receipt": again.items[at]["receipt"], "key": "5b0d2c2e-7f0b-4d5f-9a55-0e1d2d3c4b5a"}
    whole |= {"answers": {"marks": [], "score": 5}, "evidence": EVIDENCE}
    assert [again.post("/rate/save", whole).json()["revision"] for _ in range(2)] == [2, 2]
    again.submit()
    assert again.submit().status_code == 200  # handing in twice changes nothing


def test_a_closed_campaign_takes_no_corrections(finished, campaign):  # noqa: F811
    at = send_back(finished)[0]
    again = come_back(finished, campaign)
    campaign_close(campaign=campaign)
    assert judge(again, at, [], 5).json()["code"] == "work-closed"
    with pytest.raises(DomainError, match="closed"):
        send_back(finished)


def test_unfinished_work_and_empty_remarks_are_not_sent_back(person, finished):  # noqa: F811
    with pytest.raises(DomainError, match="Say what"):
        video_send_back(assignment=person.assignment, video=video_at(person, 0), remark="  ")
    Assignment.objects.update(state="rejected")
    with pytest.raises(DomainError, match="submitted"):
        send_back(person)


def test_people_of_a_marketplace_cannot_come_back(finished):
    arrival = finished.assignment.arrival
    arrival.crowd = "mturk"
    arrival.save()
    with pytest.raises(DomainError, match="marketplace"):
        send_back(finished)


def test_the_remark_is_erased_with_the_person(finished):
    send_back(finished)
    annotator_erase(annotator=finished.assignment.annotator)
    assert Correction.objects.get().remark == ""
    with pytest.raises(DomainError, match="erased"):
        send_back(finished)


def page(campaign, person):  # noqa: F811
    name = person.assignment.annotator.pseudonym
    return reverse("analysis:factuality-person", args=[campaign.slug, name])


def test_an_organiser_sends_a_video_back_from_its_page(client, finished, campaign):  # noqa: F811
    client.force_login(campaign.owner)
    path, turn, video = page(campaign, finished), finished.assignment, video_at(finished, 0)
    assert "Send this video back" in shown(client.get(path))
    given = {"assignment": turn.pk, "video": video.pk, "remark": REMARK}
    client.post(path, given)
    client.post(path, given | {"remark": "Newer"})
    correction = Correction.objects.get()
    assert (correction.remark, correction.by) == ("Newer", campaign.owner)
    said = shown(client.get(path))
    assert "Newer" in said
    assert "not handed in again yet" in said
    assert AuditEntry.objects.filter(action="sent back").count() == 2
    overview = client.get(reverse("analysis:factuality", args=[campaign.slug]))
    assert "1 to be corrected" in shown(overview)


@pytest.mark.parametrize("changes", [{"video": 0}, {"remark": ""}, {"remark": "x" * 501}])
def test_what_cannot_be_read_is_refused(client, finished, campaign, changes):  # noqa: F811
    client.force_login(campaign.owner)
    given = {"assignment": finished.assignment.pk, "video": video_at(finished, 0).pk}
    client.post(page(campaign, finished), given | {"remark": REMARK} | changes)
    assert not Correction.objects.exists()
