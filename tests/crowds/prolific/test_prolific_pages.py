"""Lists are read whole, whatever pages the server makes of them."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds.gateway import PermanentFault, TransientFault
from crowds.prolific.client import ATTEMPTS, Client


def client_of(answer):
    """A client whose server is a function, for servers that differ from the stand-in."""
    client = Client(token="t", address="https://prolific.example", sleep=lambda _: None)
    client._http = httpx.Client(
        base_url="https://prolific.example", transport=httpx.MockTransport(answer)
    )
    return client


@given(
    total=st.integers(0, 60),
    largest=st.integers(1, 25),
    counts=st.booleans(),
    beyond=st.sampled_from(["empty", "missing"]),
)
def test_a_list_is_read_whole_and_in_order(total, largest, counts, beyond):
    calls = []

    def answer(request):
        page, size = (int(request.url.params[name]) for name in ("page", "page_size"))
        size = min(size, largest)
        rows = [{"id": row} for row in range(total)][(page - 1) * size : page * size]
        calls.append(page)
        if not rows and page > 1 and beyond == "missing":
            return httpx.Response(404, json={"detail": "Invalid page."})
        meta = {"meta": {"count": total}} if counts else {}
        return httpx.Response(200, json={"results": rows, **meta})

    rows = [row["id"] for row in client_of(answer).pages("/list/", {})]
    assert rows == list(range(total))
    pages = -(-total // largest)
    assert calls == list(range(1, max(pages, 1) + (0 if counts or not total else 1) + 1))


def test_a_server_that_gives_the_same_page_again_is_not_asked_for_ever():
    same = {"results": [{"id": 1}, {"id": 2}]}
    pages = client_of(lambda _: httpx.Response(200, json=same)).pages("/list/", {})
    with pytest.raises(ValueError, match="page 2 is the one before it"):
        list(pages)


def test_a_list_of_something_unknown_is_empty(gateway):
    assert list(gateway.submissions(["no such study"])) == []


def test_submissions_come_in_the_order_people_began(gateway, make_offer, work, monkeypatch):
    monkeypatch.setattr("crowds.prolific.client.PAGE_SIZE", 7)
    study = gateway.publish(make_offer(hits=5, people=4), key="k").external_id
    begun = work(study, range(20))
    found = [one.external_id for one in gateway.submissions([study])]
    assert found == [one.id for one in begun]


def test_what_is_decided_can_be_left_out(gateway, make_offer, work):
    study = gateway.publish(make_offer(), key="k1").external_id
    first, second = (one.id for one in work(study, range(2)))
    gateway.approve(study, [first], key="k2")
    assert [one.external_id for one in gateway.submissions([study], undecided=True)] == [second]


@pytest.mark.parametrize(
    ("response", "error", "sentence", "calls"),
    [
        (httpx.Response(302, headers={"Location": "https://evil.example"}), PermanentFault,
         "redirect", 1),
        (httpx.Response(200, text="<html>"), TransientFault, "could not be read", ATTEMPTS),
        (httpx.Response(503), TransientFault, "status 503", ATTEMPTS),
        (httpx.Response(429, headers={"Retry-After": "3600"}), TransientFault, "too many", 1),
        (httpx.Response(400, json={"error": {"detail": {"reward": ["Too low."]}}}),
         PermanentFault, "refused: reward: Too low.", 1),
        (httpx.Response(400, json={"detail": ["One.", "Two."]}), PermanentFault, "One.; Two.", 1),
        (httpx.Response(400, json=["odd"]), PermanentFault, "status 400", 1),
    ],
)  # fmt: skip
def test_each_odd_answer_has_its_sentence(response, error, sentence, calls):
    made = []

    def answer(request):
        made.append(request.headers["Host"])
        return response

    with pytest.raises(error, match=sentence):
        client_of(answer).read("/something/")
    assert made == ["prolific.example"] * calls


def test_a_long_wait_prolific_asks_for_is_left_to_the_caller():
    client = client_of(lambda _: httpx.Response(429, headers={"Retry-After": "3600"}))
    with pytest.raises(TransientFault) as fault:
        client.read("/something/")
    assert fault.value.retry_after == 3600
