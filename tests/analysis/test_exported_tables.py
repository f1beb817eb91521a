from __future__ import annotations

import csv
import dataclasses
import io
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.presenting import downloads
from analysis.presenting.downloads import Format, formats, table_file, table_formats
from analysis.results import files
from analysis.results.files import (
    captions_table,
    chosen_names,
    ranking_table,
    result_files,
    significance_matrix,
)
from analysis.results.folder import ResultFolder
from analysis.results.listings import captions_listing
from analysis.results.pipeline import analyse, counts, summarise
from analysis.results.registry import Summary
from analysis.results.settings import Settings
from analysis.stats.ratings import Ratings
from analysis.templatetags import analysis_tables
from benchmarks.crowd import simulate
from daplatform.tables.formulas import as_written, defused

HEADERS = {
    "annotators": "annotator,ratings,pairs,statistic,p,passed,mean,sd,repeat_p,flags",
    "captions": "system,item,raw,z,n",
    "systems": "system,raw,z,captions,ratings,wins,rank_low,rank_high,z_low,z_high,"
    "range_low,range_high",
    "significance": "better,worse,p,p_holm,p_bh",
}


def summary_of(analysis):
    """As it is read back from where it is stored."""
    stored = json.dumps(summarise(analysis, splits=5, draws=5).as_json(), allow_nan=False)
    return Summary.from_json(
        json.loads(stored, object_pairs_hook=lambda pairs: dict(sorted(pairs)))
    )


def tables_of(analysis):
    captions = captions_table(captions_listing(analysis))
    made = {name: make() for name, make in summary_of(analysis).tables().items()}
    return {**made, "captions": captions}


def files_of(analysis):
    captions = captions_table(captions_listing(analysis))
    return result_files(summary_of(analysis), lambda: captions)


def report_json(analysis):
    return files.report_json(summary_of(analysis))


def systems_table(analysis):
    return tables_of(analysis)["systems"]


def significance_table(analysis):
    return tables_of(analysis)["significance"]


def annotators_table(analysis):
    return tables_of(analysis)["annotators"]


@pytest.fixture(scope="module")
def analysis():
    return analyse(simulate(annotators=10, seed=3), Settings(draws=50))


@pytest.fixture(scope="module")
def nobody():
    """An analysis in which nobody passed: all that can be undefined is."""
    return analyse(simulate(annotators=3), Settings(draws=5, quality_alpha=1e-12))


@pytest.mark.parametrize("name", HEADERS)
def test_the_columns_are_those_the_design_promises(analysis, name):
    text = table_file(tables_of(analysis)[name], "csv").decode()
    assert text.splitlines()[0] == HEADERS[name]


def test_systems_stand_best_first(analysis):
    table = pd.read_csv(io.BytesIO(table_file(systems_table(analysis), "csv")))
    assert table["z"].is_monotonic_decreasing
    assert (table["z_low"] < table["z"]).all()
    assert (table["z"] < table["z_high"]).all()
    assert table["rank_low"].dtype == table["rank_high"].dtype == np.int64


def test_every_system_has_a_rank_range_of_its_own_beside_its_cluster(analysis):
    systems = pd.read_csv(io.BytesIO(table_file(systems_table(analysis), "csv")))
    pairs = pd.read_csv(io.BytesIO(table_file(significance_table(analysis), "csv")))
    wins = pairs[pairs["p"] < analysis.settings.alpha]
    beaten_by = systems["system"].map(wins["worse"].value_counts()).fillna(0)
    beats = systems["system"].map(wins["better"].value_counts()).fillna(0)
    assert systems["range_low"].tolist() == (1 + beaten_by).tolist()
    assert systems["range_high"].tolist() == (len(systems) - beats).tolist()
    assert systems["range_low"].dtype == systems["range_high"].dtype == np.int64


def test_every_ordered_pair_is_there(analysis):
    table = pd.read_csv(io.BytesIO(table_file(significance_table(analysis), "csv")))
    systems = set(systems_table(analysis)["system"])
    assert len(table) == len(systems) * (len(systems) - 1)
    assert (table["better"] != table["worse"]).all()


def test_numbers_survive_the_journey_through_csv(analysis):
    text = table_file(tables_of(analysis)["captions"], "csv").decode()
    z = [float(row["z"]) for row in csv.DictReader(io.StringIO(text))]
    np.testing.assert_array_equal(z, analysis.captions.z)


@pytest.mark.parametrize("format", table_formats())
def test_every_format_tells_the_same(analysis, format):
    content = table_file(systems_table(analysis), format, "a signature")
    if format == "csv":
        names = pd.read_csv(io.BytesIO(content))["system"].tolist()
    elif format == "json":
        names = [row["system"] for row in json.loads(content)["rows"]]
        assert json.loads(content)["signature"] == "a signature"
    else:
        table = pq.read_table(io.BytesIO(content))
        names = table["system"].to_pylist()
        assert table.schema.metadata[b"signature"] == b"a signature"
    assert names == list(systems_table(analysis)["system"])


def test_what_is_undefined_is_never_a_number(nobody):
    row = next(csv.DictReader(io.StringIO(table_file(systems_table(nobody), "csv").decode())))
    assert (row["z"], row["rank_low"], row["z_low"]) == ("NaN", "NaN", "NaN")
    assert json.loads(report_json(nobody))["systems"][0]["z"] is None
    assert " & -- & " in ranking_table(summary_of(nobody))


def test_too_few_pairs_are_named_beside_the_flags():
    few = analyse(simulate(annotators=2), Settings(draws=2, minimum_pairs=11))
    table = annotators_table(few)
    assert not table["passed"].any()
    assert [flags.split(";")[0] for flags in table["flags"]] == ["insufficient"] * 2


def test_cells_that_a_spreadsheet_would_run_are_defused():
    ratings = simulate(annotators=2)
    named = dataclasses.replace(ratings, annotators=("=cmd()", "@sum"), systems=tuple("+-abc"))
    table = table_file(annotators_table(analyse(named, Settings(draws=2))), "csv").decode()
    assert [line.split(",")[0] for line in table.splitlines()[1:]] == ["'=cmd()", "'@sum"]


@pytest.mark.parametrize("start", "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
def test_whatever_formulas_begin_with_is_defused_and_read_back(start):
    text = f"{start}1+1"
    assert defused(text) == f"'{text}"
    assert as_written(defused(text)) == text


def test_a_certain_verdict_is_written_as_infinity():
    pairs = [(f"v{n}", kind) for n in range(10) for kind in ("reference", "degraded")]
    ratings = Ratings.from_columns(
        {
            "annotator": ["w"] * 22,
            "hit": ["h"] * 22,
            "system": ["R"] * 20 + ["A"] * 2,
            "item": [item for item, _ in pairs] + ["v1", "v2"],
            "kind": [kind for _, kind in pairs] + ["system"] * 2,
            "score": [80, 60] * 10 + [50, 55],
            "seconds": [None] * 22,
        }
    )
    analysis = analyse(ratings, Settings(draws=2))
    row = next(csv.DictReader(io.StringIO(table_file(annotators_table(analysis), "csv").decode())))
    assert (row["statistic"], row["p"], row["passed"]) == ("-Infinity", "0.0", "true")
    assert json.loads(report_json(analysis))["annotators"][0]["statistic"] == "-Infinity"


def test_the_counts_add_up(analysis):
    found = dataclasses.asdict(counts(analysis))
    verdicts = ("passed", "failed", "insufficient")
    assert sum(found[f"annotators_{verdict}"] for verdict in verdicts) == found["annotators"] == 10
    assert found["ratings"] == 1000
    assert found["ratings_used"] == 80 * found["annotators_used"]


def test_a_format_is_one_file_that_pages_and_commands_offer(analysis, monkeypatch):
    def write(stream, download):
        stream.write(f"{download.signature}: {len(next(download.pieces())['system'])}".encode())

    known = {**formats(), "toy": Format("toy", "Toy", "text/plain", write)}
    monkeypatch.setattr(downloads, "formats", lambda: known)
    count = len(analysis.ranking.order)
    assert table_file(systems_table(analysis), "toy", "signed") == f"signed: {count}".encode()
    assert "systems.toy" in files_of(analysis)
    assert [each.label for each in analysis_tables.all_formats()][-1] == "Toy"


class TestTrustRecord:
    @pytest.mark.parametrize("crowd", ["analysis", "nobody"])
    def test_it_is_json_whatever_is_undefined(self, crowd, request):
        analysis = request.getfixturevalue(crowd)
        record = json.loads(report_json(analysis))["trust"]
        pairs = len(analysis.ranking.order) * (len(analysis.ranking.order) - 1) // 2
        assert len(record["anytime"]) == pairs
        assert len(record["ties"]) == len(summary_of(analysis).numbers["separation"].ties)

    def test_its_numbers_are_those_of_the_assessment(self, analysis):
        numbers = summarise(analysis, splits=5, draws=5).numbers
        record = json.loads(report_json(analysis))["trust"]
        agreement = record["agreement"]
        assert agreement["krippendorff_z"]["alpha"] == numbers["agreement"].krippendorff_z.alpha
        assert record["replication_z"]["pearson"]["mean"] == numbers["replication"].z.pearson.mean
        rows = [row.tau for row in numbers["thresholds"].rows]
        assert [row["tau"] for row in record["thresholds"]] == rows
        mean = numbers["mixed_model"].model.systems[0].mean
        assert record["mixed_model"]["systems"][0]["mean"] == mean


class TestLatex:
    def test_a_rule_stands_between_clusters(self, analysis):
        clusters = len(set(analysis.ranking.rank_low[analysis.ranking.order]))
        assert ranking_table(summary_of(analysis)).count(r"\midrule") == clusters

    def test_only_significant_cells_are_coloured(self, analysis):
        coloured = significance_matrix(summary_of(analysis)).count(r"\cellcolor")
        assert coloured == np.count_nonzero(analysis.ranking.p < 0.05) > 0

    def test_names_cannot_break_out_of_a_cell(self, analysis):
        systems = tuple(rf"a&b_50%\input{{{n}}}" for n in range(5))
        named = dataclasses.replace(
            analysis, ratings=dataclasses.replace(analysis.ratings, systems=systems)
        )
        assert r"a\&b\_50\%\textbackslash{}input\{1\}" in ranking_table(summary_of(named))
        assert r"\input" not in significance_matrix(summary_of(named))

    def test_a_bracket_is_not_an_argument_of_the_line_before(self, analysis):
        systems = tuple(f"[{n}]" for n in range(5))
        named = dataclasses.replace(
            analysis, ratings=dataclasses.replace(analysis.ratings, systems=systems)
        )
        assert not any(
            line.startswith("[") for line in significance_matrix(summary_of(named)).splitlines()
        )

    def test_both_tables_carry_the_signature(self, analysis):
        summary = summary_of(analysis)
        for table in (ranking_table(summary), significance_matrix(summary)):
            assert table.startswith(f"% {analysis.signature}\n")


KNOWN = ("systems.csv", "ranking.tex")


class TestResultFolder:
    def test_the_same_ratings_give_the_same_bytes(self):
        settings = Settings(draws=50)
        first, second = (files_of(analyse(simulate(), settings)) for _ in range(2))
        tables = [name for name in first if not name.endswith(("html", "svg"))]
        assert all(first[name]() == second[name]() for name in tables)

    def test_a_command_writes_one_format_and_one_report(self, analysis):
        names = chosen_names(files_of(analysis), format="parquet", latex=True)
        assert {"systems.parquet", "captions.parquet", "ranking.tex", "report.html"} <= set(names)
        assert not any(name.endswith(("csv", "svg")) or "holm.html" in name for name in names)

    def test_nothing_is_left_of_a_failure(self, tmp_path):
        out = tmp_path / "results"

        def fail():
            with ResultFolder(out, KNOWN) as folder:
                (folder / "systems.csv").write_bytes(b"half")
                raise ValueError("midway")

        with pytest.raises(ValueError, match="midway"):
            fail()
        assert list(tmp_path.iterdir()) == []

    def test_an_earlier_run_is_replaced_and_other_files_stay(self, tmp_path):
        out = tmp_path / "results"
        with ResultFolder(out, KNOWN) as folder:
            (folder / "systems.csv").write_bytes(b"old")
            (folder / "ranking.tex").write_bytes(b"old")
        (out / "notes.txt").write_text("mine")
        with ResultFolder(out, KNOWN) as folder:
            (folder / "systems.csv").write_bytes(b"new")
        assert sorted(file.name for file in out.iterdir()) == ["notes.txt", "systems.csv"]
        assert (out / "systems.csv").read_bytes() == b"new"
        assert list(tmp_path.iterdir()) == [out]

    def test_it_refuses_a_file_in_the_place_of_the_folder(self, tmp_path):
        (tmp_path / "results").write_text("a file")
        with pytest.raises(NotADirectoryError), ResultFolder(tmp_path / "results"):
            pass
