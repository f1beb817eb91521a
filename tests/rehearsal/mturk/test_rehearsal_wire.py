"""An unmodified boto3 over HTTP: who is heard, what is checked, and how long lists are read."""

from __future__ import annotations

import datetime as dt
import http.client
import json
import re

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.mturk import api
from rehearsal.mturk.operations import OPERATIONS
from rehearsal.mturk.refusals import Refusal
from rehearsal.mturk.signature import Keys, check_signature
from tests.rehearsal.mturk.market import KEYS, LONG_AGO, boto, hit_request

NAMES = api.service_model().operation_names


def refusal(call, **request):
    with pytest.raises(ClientError) as caught:
        call(**request)
    return caught.value.response


# Who is heard -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "region", "code"),
    [
        (Keys(KEYS.access, "wrong"), "us-east-1", "InvalidSignatureException"),
        (Keys("AKIAOTHER", KEYS.secret), "us-east-1", "UnrecognizedClientException"),
        (KEYS, "eu-west-1", "InvalidSignatureException"),
    ],
)
def test_it_hears_nobody_with_other_keys_or_from_another_region(server, keys, region, code):
    stranger = boto(server, keys=keys, region=region)
    assert refusal(stranger.get_account_balance)["Error"]["Code"] == code


def signed(server, **changes) -> dict[str, str]:
    """The headers of a true request, some of them changed."""
    kept = {}
    client = boto(server)
    events = client.meta.events
    events.register("before-send.mturk", lambda request, **_: kept.update(request.headers))
    client.get_account_balance()
    texts = {
        name: value.decode() if isinstance(value, bytes) else value for name, value in kept.items()
    }
    return texts | changes


def post(server, headers, body=b"{}") -> tuple[int, dict]:
    connection = http.client.HTTPConnection("localhost", server.server_port)
    connection.request("POST", "/", body, headers)
    response = connection.getresponse()
    answer = json.loads(response.read() or b"{}")
    connection.close()
    return response.status, answer


def test_it_accepts_the_very_request_boto3_sent(server):
    status, answer = post(server, signed(server))
    assert status == 200
    assert answer["AvailableBalance"] == "10000.00"


@pytest.mark.parametrize(
    "change",
    [
        {"X-Amz-Target": "MTurkRequesterServiceV20170117.ListHITs"},
        {"X-Amz-Date": "20200101T000000Z"},
        {"Authorization": ""},
    ],
)
def test_it_refuses_a_request_changed_after_signing(server, change):
    status, answer = post(server, signed(server, **change))
    assert status == 400
    assert "Signature" in answer["__type"] or "Authentication" in answer["__type"]


def test_it_refuses_another_body_under_the_same_signature(server):
    headers = signed(server)
    body = b'{"a":1}'
    status, answer = post(server, headers | {"Content-Length": str(len(body))}, body)
    assert (status, answer["__type"]) == (400, "InvalidSignatureException")


def test_it_refuses_a_signature_that_was_true_an_hour_ago(server):
    headers = signed(server)
    later = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
    host = f"localhost:{server.server_port}"
    with pytest.raises(Refusal, match="expired"):
        check_signature(headers | {"Host": host}, b"{}", host=host, keys=KEYS, now=later)


def test_it_refuses_a_signature_that_leaves_the_operation_unsigned(server):
    headers = signed(server)
    headers["Authorization"] = headers["Authorization"].replace(";x-amz-target", "")
    _, answer = post(server, headers)
    assert "must be signed" in answer["Message"]


# What is checked --------------------------------------------------------------------------------


def values_of(shape, *, optional: bool = True) -> st.SearchStrategy:
    """Anything the model allows for a shape."""
    kind, metadata = shape.type_name, shape.metadata
    if kind == "structure":
        needed = {n: values_of(m) for n, m in shape.members.items() if n in shape.required_members}
        others = {n: values_of(m) for n, m in shape.members.items() if n not in needed}
        return st.fixed_dictionaries(needed, optional=others if optional else {})
    if kind == "list":
        return st.lists(values_of(shape.member), max_size=2)
    if kind == "boolean":
        return st.booleans()
    if kind == "string" and metadata.get("enum"):
        return st.sampled_from(metadata["enum"])
    if kind == "string" and metadata.get("pattern"):
        longest = metadata.get("max", 20)
        return st.from_regex(metadata["pattern"], fullmatch=True).filter(
            lambda text: len(text) <= longest and not text.endswith("\n")
        )
    if kind == "string":
        return st.text(min_size=metadata.get("min", 0), max_size=min(metadata.get("max", 30), 30))
    return st.integers(metadata.get("min", -(2**31)), metadata.get("max", 2**31))


@given(st.data())
def test_it_accepts_whatever_the_model_allows(data):
    shape = api.service_model().operation_model(data.draw(st.sampled_from(NAMES))).input_shape
    request = data.draw(values_of(shape))
    assert list(api.faults_of(shape, request, "")) == []


def constraints_of(shape, path=()):
    """Every constrained string and number of a request, with a value just beyond it."""
    metadata = shape.metadata
    if shape.type_name == "structure":
        for name, member in shape.members.items():
            yield from constraints_of(member, (*path, name))
    elif shape.type_name == "list":
        yield from constraints_of(shape.member, (*path, 0))
    elif shape.type_name == "string":
        if "max" in metadata:
            yield path, "A" * (metadata["max"] + 1)
        if metadata.get("min"):
            yield path, "A" * (metadata["min"] - 1)
        if "pattern" in metadata:
            yield path, "not–this"
        if metadata.get("enum"):
            yield path, "NoneOfThese"
    elif "max" in metadata:
        yield path, metadata["max"] + 1
        yield path, metadata["min"] - 1


def placed(path, value):
    """The value where the path says, in nothing but what holds it."""
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    return value


@pytest.mark.parametrize("name", NAMES)
def test_it_refuses_whatever_is_beyond_a_maximum_a_choice_or_a_pattern(name):
    shape = api.service_model().operation_model(name).input_shape
    for path, value in constraints_of(shape):
        end = next(reversed([step for step in path if step != 0]))
        faults = list(api.faults_of(shape, placed(path, value), ""))
        assert any(re.search(rf"{end}\b.*failed to satisfy", fault) for fault in faults), path


@pytest.mark.parametrize("value", [True, 1.5, "1", None, [], {}])
def test_it_refuses_what_is_of_another_type(value):
    shape = api.service_model().operation_model("CreateHIT").input_shape.members["MaxAssignments"]
    assert list(api.faults_of(shape, value, "MaxAssignments"))


def test_it_refuses_members_the_model_does_not_know():
    with pytest.raises(Refusal, match="'Colour' is not known"):
        api.check_request("GetAccountBalance", {"Colour": "red"})


def test_it_says_what_boto3_lets_through(client):
    assert refusal(client.list_hits, MaxResults=101)["Error"]["Code"] == "ValidationException"
    assert "pattern" in refusal(client.get_hit, HITId="lower")["Error"]["Message"]
    wrong = [{"QualificationTypeId": "X", "Comparator": "About"}]
    answer = refusal(client.create_hit, **hit_request(QualificationRequirements=wrong))
    assert "enum value set" in answer["Error"]["Message"]


EXTERNAL = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/'
    '2006-07-14/ExternalQuestion.xsd"><ExternalURL>{}</ExternalURL><FrameHeight>{}</FrameHeight>'
    "</ExternalQuestion>"
)


def requirement(number: int = 1, **values) -> dict:
    one = {"QualificationTypeId": "00000000000000000040", **values}
    return {"QualificationRequirements": number * [one]}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"Title": "x" * 129}, "Title"),
        ({"Description": "x" * 2001}, "Description"),
        ({"RequesterAnnotation": "x" * 256}, "RequesterAnnotation"),
        ({"LifetimeInSeconds": 29}, "LifetimeInSeconds"),
        ({"LifetimeInSeconds": 31_536_001}, "LifetimeInSeconds"),
        ({"AssignmentDurationInSeconds": 29}, "AssignmentDurationInSeconds"),
        ({"AutoApprovalDelayInSeconds": 2_592_001}, "AutoApprovalDelayInSeconds"),
        ({"MaxAssignments": 0}, "MaxAssignments"),
        ({"Reward": "0.00"}, "Reward"),
        ({"Question": ""}, "well-formed"),
        ({"Question": "<a/>"}, "ExternalQuestion"),
        ({"Question": "<a>" + "x" * 65_536 + "</a>"}, "65535 bytes"),
        ({"Question": EXTERNAL.format("http://study.example/", 0)}, "https"),
        ({"Question": EXTERNAL.format("https://study.example/", "tall")}, "FrameHeight"),
        (requirement(Comparator="Exists", IntegerValues=[1]), "no values"),
        (requirement(Comparator="In", IntegerValues=list(range(16))), "15 integers"),
        (requirement(Comparator="EqualTo"), "needs IntegerValues"),
        (requirement(Comparator="LessThan", IntegerValues=[1, 2]), "one value"),
        (requirement(11, Comparator="Exists"), "10 elements"),
    ],
)
def test_it_keeps_the_limits_that_only_the_documentation_states(client, change, word):
    answer = refusal(client.create_hit, **hit_request(**change))
    assert word in answer["Message"]
    assert answer["TurkErrorCode"] == "AWS.MechanicalTurk.ParameterValidationError"
    assert client.list_hits()["NumResults"] == 0


def test_it_writes_to_a_hundred_people_at_once_and_no_more(client):
    people = [f"A{number}" for number in range(101)]
    letter = {"Subject": "s", "MessageText": "t"}
    answer = refusal(client.notify_workers, WorkerIds=people, **letter)
    assert "100 workers" in answer["Message"]
    failures = client.notify_workers(WorkerIds=people[:100], **letter)
    assert len(failures["NotifyWorkersFailureStatuses"]) == 100


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(OPERATIONS)))
def test_it_says_which_operations_it_does_not_rehearse(server, name):
    with pytest.raises(Refusal, match=f"{name} is not rehearsed") as caught:
        server.service.act(name, {})
    assert caught.value.kind == "RequestError"


def test_it_knows_no_operation_the_model_does_not():
    with pytest.raises(Refusal, match="no operation"):
        api.operation_named("MTurkRequesterServiceV20170117.MakeTea")


def test_it_never_sends_an_answer_the_model_does_not_describe():
    with pytest.raises(AssertionError, match="HITStatus"):
        api.check_answer("GetHIT", {"HIT": {"HITStatus": "Sleeping"}})


# Long lists -------------------------------------------------------------------------------------


def test_it_lists_every_hit_once_however_it_is_paged(client):
    made = [client.create_hit(**hit_request())["HIT"]["HITId"] for _ in range(23)]
    for size in (1, 10, 23, 100):
        pages = client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": size})
        listed = [hit["HITId"] for page in pages for hit in page["HITs"]]
        assert listed == made[::-1]


def test_it_goes_on_paging_although_a_hit_was_deleted_meanwhile(client, watch):
    made = [client.create_hit(**hit_request())["HIT"]["HITId"] for _ in range(6)]
    first = client.list_hits(MaxResults=2)
    client.update_expiration_for_hit(HITId=made[4], ExpireAt=LONG_AGO)
    client.delete_hit(HITId=made[4])
    rest = client.list_hits(MaxResults=100, NextToken=first["NextToken"])
    assert [hit["HITId"] for hit in rest["HITs"]] == made[3::-1]
    assert "NextToken" not in rest


def test_it_refuses_a_page_it_never_gave(client):
    assert "NextToken" in refusal(client.list_hits, NextToken="nonsense")["Message"]
