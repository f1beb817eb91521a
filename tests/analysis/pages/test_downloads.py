"""Every list as a file, opened in each format and compared with the page or the command line."""

from __future__ import annotations

import csv
import io
import json
import re

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.metrics.files import read_captions
from analysis.presenting.downloads import formats
from analysis.selectors.results import result_summary
from daplatform.tables import Faults
from hits.models import HitItem
from tests.analysis.evaluations.conftest import compute as compare
from tests.analysis.evaluations.conftest import score
from tests.analysis.pages.conftest import HARM, compute
from tests.factories import make_campaign
from tests.pages import body, markup

pytestmark = pytest.mark.django_db


RESULT_FILES = ("captions.csv", "annotators.csv", "report.html")
WIN = 'fill="var(--one)" stroke="var(--paper)"'
"""A cell of the matrix, as it is drawn where one system is significantly better."""


def fetch(page_of, campaign, name, format, subject="", **query):
    """The rows of a download, whatever it was written as."""
    args = [name, subject, format] if subject else [name, format]
    answer = page_of("download-of" if subject else "download", campaign, *args, **query)
    assert answer.status_code == 200, body(answer)
    assert answer["Content-Type"] == formats()[format].media_type
    begins = f'attachment; filename="{campaign.slug}-{name.removesuffix("s")}'
    assert answer["Content-Disposition"].startswith(begins)
    assert answer["Content-Disposition"].endswith(f'.{format}"')
    return READERS[format](body(answer))


def read_latex(content: bytes) -> list[list[str]]:
    body = content.decode().split("\\endhead\n")[1].split("\\bottomrule")[0]
    return [line.removesuffix(" \\\\").split(" & ") for line in body.splitlines()]


def read_html(content: bytes) -> list[list[str]]:
    body = content.decode().split("<tbody>")[1]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("<tr")[1:]]


READERS = {
    "csv": lambda content: list(csv.DictReader(io.StringIO(content.decode()))),
    "json": lambda content: json.loads(content)["rows"],
    "parquet": lambda content: pq.read_table(io.BytesIO(content)).to_pylist(),
    "tex": read_latex,
    "html": read_html,
}


NAMES = (
    "annotators", "captions", "pair", "ratings", "metrics", "points", "hit", "pairs", "answers",
    "video", "hits", "videos",
)  # fmt: skip


@pytest.fixture
def everything(campaign, ready):
    """Rated, analysed, scored by metrics and compared with them; and how each list is asked for."""
    score(campaign, cider=2.0, bleu4=30.0)
    compare(campaign)
    person = campaign.turns.first().annotator.pseudonym
    return {
        "annotators": ("", {"show": "passed", "sort": "-ratings"}),
        "captions": ("", {"q": "v007", "sort": "n"}),
        "pair": ("", {"first": "system-4", "second": "system-3", "order": "difference"}),
        "ratings": ("", {}),
        "metrics": ("", {}),
        "points": ("", {"human": "raw", "metric": "bleu4"}),
        "hit": (str(campaign.batches.get().hits.first().pk), {}),
        "pairs": (person, {}),
        "answers": (person, {}),
        "video": (str(campaign.videos.get(name="v004").pk), {}),
        "hits": ("", {}),
        "videos": ("", {"q": "v00"}),
    }


def test_every_format_of_a_list_holds_the_same_rows(page_of, campaign, everything, subtests):
    for name in NAMES:
        subject, query = everything[name]
        with subtests.test(name):
            rows = fetch(page_of, campaign, name, "json", subject, **query)
            assert rows
            for format in ("csv", "parquet"):
                found = fetch(page_of, campaign, name, format, subject, **query)
                assert texts(found, rows[0]) == texts(rows, rows[0])
            for format in ("tex", "html"):
                found = fetch(page_of, campaign, name, format, subject, **query)
                assert len(found) == min(len(rows), 500)
                assert all(len(row) == len(rows[0]) for row in found)


def texts(rows, like):
    """Names of columns, and the columns that hold text."""
    known = [name for name, value in like.items() if isinstance(value, str)]
    return list(rows[0]), [[row[name] for name in known] for row in rows]


def test_captions_have_the_order_and_filters_of_the_page(page_of, campaign, everything):
    _, query = everything["captions"]
    shown = page_of("caption-list", campaign, **query).context["rows"]
    for format in ("csv", "json", "parquet"):
        found = fetch(page_of, campaign, "captions", format, **query)
        assert [row["text"] for row in found] == [row["text"] for row in shown]
    printed = fetch(page_of, campaign, "captions", "html", **query)
    assert [row[0] for row in printed] == [row["text"] for row in shown]


def test_annotators_have_the_order_and_filters_of_the_page(page_of, campaign, everything):
    _, query = everything["annotators"]
    shown = page_of("annotator-list", campaign, **query).context["rows"]
    found = fetch(page_of, campaign, "annotators", "tex", **query)
    assert [row[0] for row in found] == [row["annotator"] for row in shown]
    assert len(shown) == 4


def test_a_pair_has_the_order_of_the_page(page_of, campaign, everything):
    _, query = everything["pair"]
    shown = page_of("pair", campaign, **query).context["rows"]
    found = fetch(page_of, campaign, "pair", "json", **query)
    assert [row["item"] for row in found] == [row["item"] for row in shown]
    assert [row["difference"] for row in found] == [row["difference"] for row in shown]
    assert [row["z_system-4"] for row in found] == [row["z_first"] for row in shown]
    assert [row["text_system-3"] for row in found] == [row["text_second"] for row in shown]


def test_no_two_files_of_a_campaign_have_one_name(page_of, campaign, everything, ready):
    compared = campaign.evaluations.get()
    answers = [page_of("result-file", campaign, ready.pk, name) for name in RESULT_FILES]
    answers += [page_of("evaluation-file", campaign, compared.pk, "report.html")]
    answers += [page_of("metric-file", campaign, "captions.csv")]
    for name in ("annotators", "captions"):
        answers.append(page_of("download", campaign, name, "csv"))
        answers.append(page_of("download", campaign, name, "html"))
    for second in ("system-3", "human-b"):
        query = {"first": "system-4", "second": second}
        answers.append(page_of("download", campaign, "pair", "csv", **query))
    names = [answer["Content-Disposition"] for answer in answers]
    assert f'attachment; filename="{campaign.slug}-pair-system-4-human-b.csv"' in names
    assert len(set(names)) == len(names)


def test_means_of_metrics_are_the_table_of_the_page(page_of, campaign, everything):
    shown = page_of("metrics", campaign).context["table"]
    found = fetch(page_of, campaign, "metrics", "json")
    assert [row["metric"] for row in found] == [row.metric for row in shown.rows]
    for row, own in zip(found, shown.rows, strict=True):
        means = [row[f"mean_{system}"] for system in shown.systems]
        assert means == [cell.mean for cell in own.cells]
        assert row["measures"] == own.summary


def test_ratings_are_all_there_and_read_again_by_the_command_line(
    page_of, campaign, ready, tmp_path
):
    for format in ("csv", "json", "parquet"):
        assert len(fetch(page_of, campaign, "ratings", format)) == 500
    content = body(page_of("download", campaign, "ratings", "csv"))
    (tmp_path / "ratings.csv").write_bytes(content)
    out = tmp_path / "out"
    call_command("analyse", str(tmp_path / "ratings.csv"), "--out", str(out), stdout=io.StringIO())
    written = READERS["csv"]((out / "captions.csv").read_bytes())
    z = {(row["system"], row["item"]): row["z"] for row in written}
    for row in fetch(page_of, campaign, "captions", "csv"):
        assert row["z"] == z[row["system"], row["item"]]


def test_the_picture_of_a_metric_is_taken_along(page_of, campaign, everything):
    _, query = everything["points"]
    page = page_of("evaluation", campaign, **query)
    found = fetch(page_of, campaign, "points", "json", **query)
    assert len(found) == page.context["count"]
    odd = [row for row in found if row["distance"] is not None]
    assert [row["text"] for row in odd][:20] == [row["text"] for row in page.context["odd"]]


def test_a_hit_is_taken_along_with_everybodys_scores(page_of, campaign, everything):
    hit = campaign.batches.get().hits.get(number=1)
    items = page_of("hit-detail", campaign, hit.pk).context["items"]
    turns = page_of("hit-detail", campaign, hit.pk).context["turns"]
    found = fetch(page_of, campaign, "hit", "json", str(hit.pk))
    assert len(found) == len(items) == 100
    for row, item in zip(found, items, strict=True):
        scores = [row[turn.annotator.pseudonym] for turn in turns]
        assert (row["text"], row["kind"], scores) == (
            item.row.item.text, item.row.item.kind, item.scores,
        )  # fmt: skip


def test_a_person_is_taken_along_with_every_pair_and_score(page_of, campaign, everything):
    person, _ = everything["pairs"]
    page = page_of("annotator-detail", campaign, person)
    pairs = fetch(page_of, campaign, "pairs", "json", person)
    assert len(pairs) == page.context["page"].paginator.count == page.context["row"]["pairs"]
    for row, pair in zip(pairs, page.context["pairs"], strict=False):
        assert row["original_text"] == pair.item.caption.text
        assert row["original"] - row["degraded"] == pair.lower
    answers = fetch(page_of, campaign, "answers", "json", person)
    assert len(answers) == page.context["row"]["ratings"]
    degraded = [row["text"] for row in answers if row["kind"] == HitItem.Kind.DEGRADED]
    assert sorted(degraded) == sorted(row["degraded_text"] for row in pairs)


def test_a_video_is_taken_along_best_caption_first(page_of, campaign, everything):
    video, _ = everything["video"]
    page = page_of("video-scores", campaign, int(video)).context
    shown, place = page["captions"], page["metrics"].index("cider")
    found = fetch(page_of, campaign, "video", "json", video)
    assert [row["system"] for row in found] == [each.caption.system.name for each in shown]
    assert [row["cider"] for row in found] == [each.metrics[place] for each in shown]
    assert found[-1]["z"] is None


@pytest.mark.parametrize("which", ["", "-holm", "-bh"])
def test_files_of_the_ranking_follow_how_p_is_adjusted(page_of, campaign, ready, which):
    def file(name: str) -> str:
        answer = page_of("result-file", campaign, ready.pk, name)
        return b"".join(answer.streaming_content).decode()

    content = markup(page_of("ranking", campaign, adjust=which[1:]))
    for name in ("report{}.html", "significance{}.tex", "significance{}.svg"):
        assert f"/results/{ready.pk}/{name.format(which)}" in content
    column = {"": "p", "-holm": "p_holm", "-bh": "p_bh"}[which]
    wins = sum(
        getattr(pair, column) < 0.05 for pair in result_summary(ready).numbers["significance"].pairs
    )
    assert file(f"significance{which}.tex").count(r"\cellcolor") == wins
    assert file(f"significance{which}.svg").count(WIN) == wins
    assert file(f"report{which}.html").count(WIN) == wins


def test_a_page_to_keep_runs_nothing_and_says_how_it_was_made(page_of, harmful):
    content = body(page_of("download", harmful, "captions", "html")).decode()
    assert "default-src 'none'" in content
    assert "<script" not in content
    assert "&lt;script&gt;alert(1)" in content
    assert "test:t" in content  # the signature


def test_no_cell_of_any_csv_begins_like_a_formula(page_of, harmful):
    score(harmful, cider=2.0, bleu4=30.0)
    compare(harmful)
    person = harmful.turns.first().annotator.pseudonym
    subjects = {
        "hit": str(harmful.batches.get().hits.first().pk),
        "video": str(harmful.videos.first().pk),
        "pairs": person,
        "answers": person,
    }
    for name in NAMES:
        rows = fetch(page_of, harmful, name, "csv", subjects.get(name, ""))
        named = [row.get("item") or row.get("system") for row in rows]
        assert all(text.startswith(f"'={HARM[:8]}") for text in named if text), name
        for row in rows:
            for cell in row.values():
                assert cell[:1] not in "=+@" or not cell, (name, cell)
                assert not cell.startswith("-") or float(cell) < 0, (name, cell)


def test_files_for_the_command_line_are_defused_and_read_back_as_they_were(
    page_of, harmful, tmp_path
):
    score(harmful, cider=2.0)
    for name in ("scores.csv", "captions.csv", "references.csv"):
        answer = page_of("metric-file", harmful, name)
        (tmp_path / name).write_bytes(b"".join(answer.streaming_content))
        rows = READERS["csv"]((tmp_path / name).read_bytes())
        assert all(row["video"].startswith(f"'={HARM[:8]}") for row in rows), name
    read = read_captions([tmp_path / "captions.csv"], Faults())
    assert set(read.systems) <= set(harmful.systems.values_list("name", flat=True))


def test_names_cannot_become_latex(page_of, harmful):
    content = body(page_of("download", harmful, "pair", "tex")).decode()
    assert "\\&" in content
    assert "‮" not in content.split("\\toprule")[1]
    rows = read_latex(content.encode())
    assert {len(row) for row in rows} == {10}


def test_what_is_not_there_is_not_found(page_of, campaign, ready):
    for name, query in (("nothing", {}), ("metrics", {}), ("points", {}), ("comparison", {})):
        assert page_of("download", campaign, name, "csv", **query).status_code == 404, name
    assert page_of("download", campaign, "captions", "csv", sort="text").status_code == 400
    for name, subject in (("hit", "999999"), ("video", "999999"), ("pairs", "nobody")):
        assert page_of("download-of", campaign, name, subject, "csv").status_code == 404
    assert page_of("download-of", campaign, "hit", "no number", "csv").status_code == 400


def test_before_any_rating_there_is_nothing_to_download(page_of, organiser):
    campaign = make_campaign(owner=organiser)
    for name in ("captions", "annotators", "ratings", "pair"):
        assert page_of("download", campaign, name, "csv").status_code == 404


def test_strangers_are_refused(everything, campaign, client_of, stranger, client):
    for name, (subject, _) in everything.items():
        args = [campaign.slug, name, subject, "csv"] if subject else [campaign.slug, name, "csv"]
        address = reverse(f"analysis:download{'-of' if subject else ''}", args=args)
        assert client_of(stranger).get(address).status_code == 404, name
        assert client.get(address).status_code == 302, name


def test_choices_of_the_ranking_hold_for_downloads(page_of, campaign, ready):
    everybody = compute(campaign, keep_all_annotators=True)
    found = page_of("download", campaign, "captions", "json", annotators="all").json()
    assert found["signature"] == everybody.signature != ready.signature
