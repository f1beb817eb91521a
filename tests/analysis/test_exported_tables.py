from __future__ import annotations

import csv
import dataclasses
import io
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.exports import (
    FORMATS,
    TABLES,
    annotators_table,
    as_csv,
    counts,
    report_json,
    significance_table,
    systems_table,
    trust_record,
)
from analysis.latex import ranking_table, significance_matrix
from analysis.pipeline import Settings, analyse
from analysis.results import ResultFolder, known_names, result_files, write_files
from analysis.spreadsheets import as_written, defused
from analysis.stats.ratings import Ratings
from analysis.trust import assess_trust
from benchmarks.crowd import simulate

HEADERS = {
    "annotators": "annotator,ratings,pairs,statistic,p,passed,mean,sd,repeat_p,flags",
    "captions": "system,item,raw,z,n",
    "systems": "system,raw,z,captions,ratings,wins,rank_low,rank_high,z_low,z_high",
    "significance": "better,worse,p,p_holm,p_bh",
}


@pytest.fixture(scope="module")
def analysis():
    return analyse(simulate(annotators=10, seed=3), Settings(draws=50))


@pytest.fixture(scope="module")
def nobody():
    """An analysis in which nobody passed: all that can be undefined is."""
    return analyse(simulate(annotators=3), Settings(draws=5, quality_alpha=1e-12))


@pytest.mark.parametrize("name", HEADERS)
def test_the_columns_are_those_the_design_promises(analysis, name):
    text = as_csv(TABLES[name](analysis), "").decode()
    assert text.splitlines()[0] == HEADERS[name]


def test_systems_stand_best_first(analysis):
    table = pd.read_csv(io.BytesIO(as_csv(systems_table(analysis), "")))
    assert table["z"].is_monotonic_decreasing
    assert (table["z_low"] < table["z"]).all()
    assert (table["z"] < table["z_high"]).all()
    assert table["rank_low"].dtype == table["rank_high"].dtype == np.int64


def test_every_ordered_pair_is_there(analysis):
    table = pd.read_csv(io.BytesIO(as_csv(significance_table(analysis), "")))
    systems = set(systems_table(analysis)["system"])
    assert len(table) == len(systems) * (len(systems) - 1)
    assert (table["better"] != table["worse"]).all()


def test_numbers_survive_the_journey_through_csv(analysis):
    text = as_csv(TABLES["captions"](analysis), "").decode()
    z = [float(row["z"]) for row in csv.DictReader(io.StringIO(text))]
    np.testing.assert_array_equal(z, analysis.captions.z)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_tells_the_same(analysis, format):
    content = FORMATS[format](systems_table(analysis), "a signature")
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
    row = next(csv.DictReader(io.StringIO(as_csv(systems_table(nobody), "").decode())))
    assert (row["z"], row["rank_low"], row["z_low"]) == ("NaN", "NaN", "NaN")
    assert json.loads(report_json(nobody))["systems"][0]["z"] is None
    assert " & -- & " in ranking_table(nobody)


def test_too_few_pairs_are_named_beside_the_flags():
    few = analyse(simulate(annotators=2), Settings(draws=2, minimum_pairs=11))
    table = annotators_table(few)
    assert not table["passed"].any()
    assert [flags.split(";")[0] for flags in table["flags"]] == ["insufficient"] * 2


def test_cells_that_a_spreadsheet_would_run_are_defused():
    ratings = simulate(annotators=2)
    named = dataclasses.replace(ratings, annotators=("=cmd()", "@sum"), systems=tuple("+-abc"))
    table = as_csv(annotators_table(analyse(named, Settings(draws=2))), "").decode()
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
    row = next(csv.DictReader(io.StringIO(as_csv(annotators_table(analysis), "").decode())))
    assert (row["statistic"], row["p"], row["passed"]) == ("-Infinity", "0.0", "true")
    assert json.loads(report_json(analysis))["annotators"][0]["statistic"] == "-Infinity"


def test_the_counts_add_up(analysis):
    found = counts(analysis)
    verdicts = ("passed", "failed", "insufficient")
    assert sum(found[f"annotators_{verdict}"] for verdict in verdicts) == found["annotators"] == 10
    assert found["ratings"] == 1000
    assert found["ratings_used"] == 80 * found["annotators_used"]


class TestTrustRecord:
    @pytest.mark.parametrize("crowd", ["analysis", "nobody"])
    def test_it_is_json_whatever_is_undefined(self, crowd, request):
        analysis = request.getfixturevalue(crowd)
        trust = assess_trust(analysis, splits=5, draws=5)
        record = json.loads(report_json(analysis, trust=trust))["trust"]
        pairs = len(analysis.ranking.order) * (len(analysis.ranking.order) - 1) // 2
        assert len(record["anytime"]) == pairs
        assert len(record["ties"]) == len(trust.separations)

    def test_its_numbers_are_those_of_the_assessment(self, analysis):
        trust = assess_trust(analysis, splits=5, draws=5)
        record = trust_record(analysis, trust)
        assert record["agreement"]["krippendorff_z"]["alpha"] == trust.alpha_z.alpha
        assert record["replication_z"]["pearson"]["mean"] == trust.replication.pearson.mean
        assert [row["tau"] for row in record["thresholds"]] == trust.sensitivity.tau.tolist()
        best = analysis.ranking.order[0]
        assert record["mixed_model"]["systems"][0]["mean"] == trust.mixed.mean[best]


class TestLatex:
    def test_a_rule_stands_between_clusters(self, analysis):
        clusters = len(set(analysis.ranking.rank_low[analysis.ranking.order]))
        assert ranking_table(analysis).count(r"\midrule") == clusters

    def test_only_significant_cells_are_coloured(self, analysis):
        coloured = significance_matrix(analysis).count(r"\cellcolor")
        assert coloured == np.count_nonzero(analysis.ranking.p < 0.05) > 0

    def test_names_cannot_break_out_of_a_cell(self, analysis):
        systems = tuple(rf"a&b_50%\input{{{n}}}" for n in range(5))
        named = dataclasses.replace(
            analysis, ratings=dataclasses.replace(analysis.ratings, systems=systems)
        )
        assert r"a\&b\_50\%\textbackslash{}input\{1\}" in ranking_table(named)
        assert r"\input" not in significance_matrix(named)

    def test_a_bracket_is_not_an_argument_of_the_line_before(self, analysis):
        systems = tuple(f"[{n}]" for n in range(5))
        named = dataclasses.replace(
            analysis, ratings=dataclasses.replace(analysis.ratings, systems=systems)
        )
        assert not any(line.startswith("[") for line in significance_matrix(named).splitlines())

    def test_both_tables_carry_the_signature(self, analysis):
        for table in (ranking_table(analysis), significance_matrix(analysis)):
            assert table.startswith(f"% {analysis.signature}\n")


class TestResultFolder:
    def test_the_same_ratings_give_the_same_bytes(self):
        settings = Settings(draws=50)
        for format in FORMATS:
            first, second = (
                result_files(analyse(simulate(), settings), format=format, latex=True)
                for _ in range(2)
            )
            assert first == second

    def test_every_name_written_is_known(self, analysis):
        for format in FORMATS:
            assert set(result_files(analysis, format=format, latex=True)) <= known_names()

    def test_nothing_is_left_of_a_failure(self, tmp_path):
        out = tmp_path / "results"

        def fail():
            with ResultFolder(out) as folder:
                write_files(folder, {"systems.csv": b"half"})
                raise ValueError("midway")

        with pytest.raises(ValueError, match="midway"):
            fail()
        assert list(tmp_path.iterdir()) == []

    def test_an_earlier_run_is_replaced_and_other_files_stay(self, tmp_path):
        out = tmp_path / "results"
        with ResultFolder(out) as folder:
            write_files(folder, {"systems.csv": b"old", "ranking.tex": b"old"})
        (out / "notes.txt").write_text("mine")
        with ResultFolder(out) as folder:
            write_files(folder, {"systems.csv": b"new"})
        assert sorted(file.name for file in out.iterdir()) == ["notes.txt", "systems.csv"]
        assert (out / "systems.csv").read_bytes() == b"new"
        assert list(tmp_path.iterdir()) == [out]

    def test_it_refuses_a_file_in_the_place_of_the_folder(self, tmp_path):
        (tmp_path / "results").write_text("a file")
        with pytest.raises(NotADirectoryError), ResultFolder(tmp_path / "results"):
            pass
