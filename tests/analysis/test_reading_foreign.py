"""Files of other people's tools, in the shapes their published sources write."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from analysis.reading import read_ratings
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.ratings import DEGRADED, KINDS, REPEAT
from daplatform.tables import TableError

SAMPLES = Path(__file__).parents[1] / "data" / "field"
"""Made by hand in the shapes of published files."""
AUTHORS = ["HITId", "WorkerId", "src", "trg", "item", "hit"]
AUTHORS += ["sys_id", "rid", "type", "sid", "score", "time"]
JUDGEMENTS = [
    ["3H1", "A1W", "cs", "en", "ad", "0", "online-B", "11", "SYSTEM", "117", "80", "2529"],
    ["3H1", "A1W", "cs", "en", "ad", "0", "online-B", "12", "BAD_REF", "117", "15", "2529"],
    ["3H1", "A1W", "cs", "en", "ad", "0", "uedin", "13", "SYSTEM", "12", "60", "2529"],
    ["3H1", "A1W", "cs", "en", "ad", "0", "uedin", "14", "REPEAT", "12", "55", "2529"],
    ["3H1", "A1W", "cs", "en", "ad", "0", "uedin", "15", "REF", "13", "98", "2529"],
]


def fault_of(path, **further):
    with pytest.raises(TableError) as caught:
        read_ratings(path, **further)
    return str(caught.value)


def said(ratings):
    """Every rating in words."""
    return sorted(
        (
            ratings.annotators[ratings.annotator[row]],
            ratings.hits[ratings.hit[row]],
            ratings.systems[ratings.system[row]],
            ratings.items[ratings.item[row]],
            KINDS[ratings.kind[row]],
            int(ratings.score[row]),
        )
        for row in range(len(ratings))
    )


class TestAuthors:
    """github.com/ygraham/direct-assessment, proc-hits/hits2r.pl and R's write.table."""

    expected = sorted(
        [
            ("A1W", "3H1", "online-B", "117", "system", 80),
            ("A1W", "3H1", "online-B", "117", "degraded", 15),
            ("A1W", "3H1", "uedin", "12", "system", 60),
            ("A1W", "3H1", "uedin", "12", "repeat", 55),
            ("A1W", "3H1", "uedin", "13", "reference", 98),
        ]
    )

    def test_separated_by_tabs(self, tmp_path):
        path = tmp_path / "ad-latest.csv"
        path.write_text("\n".join("\t".join(row) for row in [AUTHORS, *JUDGEMENTS]))
        file = read_ratings(path)
        assert file.format == "Direct Assessment authors' scores"
        assert said(file.ratings) == self.expected
        assert set(file.ratings.seconds) == {2529}

    def test_separated_by_spaces_with_quotes_and_row_names(self, tmp_path):
        path = tmp_path / "ad-good-raw.csv"
        rows = [
            [f'"{number}"', *(f'"{cell}"' for cell in row)] for number, row in enumerate(JUDGEMENTS)
        ]
        header = [f'"{name}"' for name in AUTHORS]
        path.write_text("\n".join(" ".join(row) for row in [header, *rows]))
        assert said(read_ratings(path).ratings) == self.expected

    def test_the_older_shape_without_a_hit_number(self, tmp_path):
        path = tmp_path / "old.csv"
        names = ["HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", *AUTHORS[6:]]
        rows = [row[:5] + row[6:] for row in JUDGEMENTS]
        path.write_text("\n".join("\t".join(row) for row in [names, *rows]))
        assert said(read_ratings(path).ratings) == self.expected

    def test_a_rating_given_again_replaces_the_first(self, tmp_path):
        path = tmp_path / "ad.csv"
        again = [*JUDGEMENTS[0][:10], "33", "2529"]
        path.write_text("\n".join("\t".join(row) for row in [AUTHORS, *JUDGEMENTS, again]))
        file = read_ratings(path)
        assert ("A1W", "3H1", "online-B", "117", "system", 33) in said(file.ratings)
        assert file.notes == ("1 ratings were replaced by later ones and are left out",)

    def test_a_fault_is_told_by_line(self, tmp_path):
        path = tmp_path / "ad.csv"
        wrong = [*JUDGEMENTS[0][:10], "933", "2529"]
        path.write_text("\n".join("\t".join(row) for row in [AUTHORS, *JUDGEMENTS[1:], wrong]))
        assert fault_of(path).startswith("ad.csv, line 6: score '933'")

    def test_of_two_language_pairs_one_is_to_be_named(self, tmp_path):
        path = tmp_path / "ad.csv"
        other = ["3H2", "A1W", "de", *JUDGEMENTS[0][3:]]
        path.write_text("\n".join("\t".join(row) for row in [AUTHORS, *JUDGEMENTS, other]))
        assert "2 language pairs in one file (cs-en, de-en)" in fault_of(path)
        assert "--pair cs-en" in fault_of(path)
        assert "no language pair 'de-fr'" in fault_of(path, pair="de-fr")
        assert said(read_ratings(path, pair="cs-en").ratings) == self.expected
        assert len(read_ratings(path, pair="de-en").ratings) == 1

    def test_a_header_with_tabs_over_cells_with_spaces_and_quotes(self):
        """The shape of ad-latest.csv: twelve names, eight cells, some of which hold several."""
        ratings = read_ratings(SAMPLES / "ad-latest.csv", pair="hi-bn").ratings
        assert ratings.systems == ("Online-A.1", "Online-G.7")
        assert sorted(ratings.score.tolist()) == [30, 50, 62.5, 70]
        assert len(read_ratings(SAMPLES / "ad-latest.csv", pair="bn-hi").ratings) == 2

    def test_standardised_scores_are_taken_as_they_are(self):
        """The shape of ad-good-stnd.csv: a header with spaces over a body with tabs, z scores."""
        file = read_ratings(SAMPLES / "ad-good-stnd.csv")
        assert file.ratings.is_standardised
        found = analyse(file.ratings, Settings(draws=5))
        assert "raw scores" in " ".join(file.notes)
        assert "--keep-all-annotators ranks as its authors did" in " ".join(file.notes)
        assert np.isnan(found.systems.raw).all()
        first = found.ratings.systems.index("SysA.1")
        np.testing.assert_allclose(found.systems.z[first], np.mean([0.9, 0.5, 0.7, -0.1]))
        # t and p are those of raw scores: standardising moves both sides of a pair alike.
        pairs = found.quality.pairs
        expected = ttest_rel([-1.2, -1.4, -0.9], [0.9, 0.5, 0.7], alternative="less")
        np.testing.assert_allclose([pairs.n[0], pairs.p[0]], [3, expected.pvalue], rtol=1e-6)


class TestAppraise:
    """github.com/AppraiseDev/Appraise, ExportSystemScoresToCSV and the result dump."""

    export = [
        "eng01,sysA,678,TGT,zho,eng,76,1511470503.271,1511470509.224",
        "eng01,sysA,678,BAD,zho,eng,12,1511470603.000,1511470609.500",
        "eng01,sysA+sysB,12,TGT,zho,eng,55,1511470703.000,1511470709.000",
        "eng01,sysB,12,CHK,zho,eng,50,1511470803.000,1511470809.000",
    ]

    def test_the_export_without_a_header(self, tmp_path):
        path = tmp_path / "scores.csv"
        path.write_text("\n".join(self.export))
        file = read_ratings(path)
        assert file.format == "Appraise export"
        assert said(file.ratings) == [
            ("eng01", "all", "sysA", "12", "system", 55),
            ("eng01", "all", "sysA", "678", "degraded", 12),
            ("eng01", "all", "sysA", "678", "system", 76),
            ("eng01", "all", "sysB", "12", "repeat", 50),
            ("eng01", "all", "sysB", "12", "system", 55),
        ]
        assert 6.5 in file.ratings.seconds
        assert file.ratings.originals(DEGRADED)[1].tolist() != [-1]
        assert file.ratings.originals(REPEAT)[1].tolist() != [-1]

    def test_batch_numbers_are_hits(self, tmp_path):
        path = tmp_path / "scores.csv"
        path.write_text("\n".join(f"{line},17,4711" for line in self.export))
        assert read_ratings(path).ratings.hits == ("17",)

    def test_documents_and_their_whole_scores(self, tmp_path):
        path = tmp_path / "scores.csv"
        lines = [
            "u,A,1,TGT,zho,eng,76,doc-7,False,1511470503.2,1511470509.2",
            "u,A,2,TGT,zho,eng,70,doc-7,False,1511470513.2,1511470519.2",
            "u,A,2,TGT,zho,eng,73,doc-7,True,1511470523.2,1511470529.2",
        ]
        path.write_text("\n".join(lines))
        ratings = read_ratings(path).ratings
        assert ratings.items == ("doc-7/1", "doc-7/2")
        assert len(ratings) == 2

    def test_marks_behind_a_system_s_name(self, tmp_path):
        path = tmp_path / "scores.csv"
        marked = self.export[1].replace("sysA", "sysA#bad1")
        path.write_text("\n".join([self.export[0], marked]))
        assert read_ratings(path).ratings.originals(DEGRADED)[1].tolist() == [0]

    def test_the_dump_with_a_header(self, tmp_path):
        path = tmp_path / "dump.csv"
        path.write_text(
            "taskID,systemID,username,email,groups,segmentID,score,startTime,endTime,"
            "durationInSeconds,itemType,campaignName\n"
            "5,sysA,eng01,x@y,g,678,76,1511470503.2,1511470509.2,6.0,TGT,c\n"
            "5,sysA,eng01,x@y,g,679,70,1511470513.2,1511470519.2,6.0,TGT,c\n"
        )
        assert said(read_ratings(path).ratings) == [
            ("eng01", "5", "sysA", "678", "system", 76),
            ("eng01", "5", "sysA", "679", "system", 70),
        ]

    def test_of_two_language_pairs_one_is_to_be_named(self, tmp_path):
        path = tmp_path / "scores.csv"
        path.write_text("\n".join([*self.export, self.export[0].replace("zho", "deu")]))
        assert "deu-eng, zho-eng" in fault_of(path)
        assert len(read_ratings(path, pair="deu-eng").ratings) == 1

    def test_a_header_somebody_put_over_the_export(self, tmp_path):
        bare = tmp_path / "bare.csv"
        bare.write_text("\n".join(self.export))
        headed = SAMPLES / "appraise-header.csv"
        assert said(read_ratings(headed).ratings) == said(read_ratings(bare).ratings)

    def test_a_line_without_times(self, tmp_path):
        path = tmp_path / "scores.csv"
        path.write_text("\n".join([*self.export, "eng01,sysA,678,TGT,zho,eng,76"]))
        assert fault_of(path).startswith("scores.csv, line 5: This line has no start and end time")


class TestMechanicalTurk:
    frame = {
        "HITId": "3H1",
        "AssignmentId": "3A1",
        "WorkerId": "A1W",
        "AssignmentStatus": "Submitted",
        "SubmitTime": "Tue Mar 01 12:34:56 PST 2016",
        "WorkTimeInSeconds": "812",
    }
    sheet = (
        "hit,position,kind,video,system,caption,original\n"
        "4,0,reference,v1,Human-a,a cat sleeps,\n"
        "4,1,system,v2,A|B,a dog runs,\n"
        "4,2,degraded,v1,Human-a,a dog sleeps,0\n"
        "4,3,repeat,v2,A|B,a dog runs,1\n"
    )

    def batch(self, tmp_path, *assignments):
        path = tmp_path / "Batch_1234_batch_results.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(assignments[0]), quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(assignments)
        return path

    @pytest.fixture
    def hits(self, tmp_path):
        path = tmp_path / "hits.csv"
        path.write_text(self.sheet)
        return path

    def ours(self, **further):
        scores = {"Answer.score_0": "90", "Answer.score_1": "70"}
        more = {"Answer.score_2": "10", "Answer.score_3": "65"}
        return self.frame | {"Input.hit": "4"} | scores | more | further

    def test_our_hits_by_position(self, tmp_path, hits):
        file = read_ratings(self.batch(tmp_path, self.ours()), hits=hits)
        assert file.format == "Mechanical Turk batch result"
        assert said(file.ratings) == [
            ("A1W", "4", "A", "v2", "repeat", 65),
            ("A1W", "4", "A", "v2", "system", 70),
            ("A1W", "4", "B", "v2", "repeat", 65),
            ("A1W", "4", "B", "v2", "system", 70),
            ("A1W", "4", "Human-a", "v1", "degraded", 10),
            ("A1W", "4", "Human-a", "v1", "reference", 90),
        ]
        assert set(file.ratings.seconds) == {812}
        assert set(file.ratings.submitted_at) == {np.datetime64("2016-03-01T20:34:56")}

    def test_what_was_not_answered_is_not_a_rating(self, tmp_path, hits):
        batch = self.batch(tmp_path, self.ours(**{"Answer.score_0": ""}))
        assert len(read_ratings(batch, hits=hits).ratings) == 5

    def test_rejections_are_remembered_as_evidence(self, tmp_path, hits):
        batch = self.batch(
            tmp_path, self.ours(AssignmentStatus="Rejected"), self.ours(WorkerId="A2W")
        )
        assert read_ratings(batch, hits=hits).evidence.rejected == {"A1W"}

    def test_without_hits_csv_it_asks_for_it(self, tmp_path):
        assert "Name that file as well (--hits)" in fault_of(self.batch(tmp_path, self.ours()))

    def test_a_hit_that_hits_csv_does_not_know(self, tmp_path, hits):
        batch = self.batch(tmp_path, self.ours(**{"Input.hit": "5"}))
        assert "line 2: HIT '5' has no position 0 in hits.csv" in fault_of(batch, hits=hits)

    def test_a_fault_in_a_merged_caption_is_told_by_its_line(self, tmp_path, hits):
        batch = self.batch(
            tmp_path, self.ours(), self.ours(WorkerId="A2W", **{"Answer.score_3": "500"})
        )
        assert "line 3: score '500'" in fault_of(batch, hits=hits)

    def test_the_authors_page(self, tmp_path):
        answer = "uedin_nmt_65_SYSTEM_0__71|online-B_3_REF_1__99|online-B_3_BAD_REF_2__8"
        assignment = self.frame | {"Answer.comment": "nice | work", "Answer.judgements": answer}
        assert said(read_ratings(self.batch(tmp_path, assignment)).ratings) == [
            ("A1W", "3H1", "online-B", "3", "degraded", 8),
            ("A1W", "3H1", "online-B", "3", "reference", 99),
            ("A1W", "3H1", "uedin_nmt", "65", "system", 71),
        ]

    def test_an_assignment_without_ratings(self, tmp_path):
        batch = self.batch(tmp_path, self.frame | {"Answer.comment": "nice"})
        assert "line 2: No answer holds ratings" in fault_of(batch)


FIELD = {
    "ad-good-raw.csv": (None, "Direct Assessment authors' scores", 2, ["REF", "SysA.1", "SysB.2"]),
    "ad-good-stnd.csv": (None, "Direct Assessment authors' scores", 1, ["SysA.1"]),
    "ad-latest.csv": ("hi-bn", "Direct Assessment authors' scores", 1, ["Online-A.1"]),
    "appraise-header.csv": (None, "Appraise export", 1, ["sysA", "sysB"]),
    "appraise-pairs.csv": ("deu-eng", "Appraise export", 1, ["sysB", "sysC"]),
    "mturk-batch.csv": (None, "Mechanical Turk batch result", 2, ["SysA.1", "SysB.2"]),
}


@pytest.mark.parametrize("name", FIELD)
def test_files_of_the_field_are_read_as_they_are(name):
    pair, format, people, systems = FIELD[name]
    file = read_ratings(SAMPLES / name, pair=pair)
    assert len(file.ratings.annotators) == people
    assert set(systems) <= set(file.ratings.systems)
    assert file.format == format
    assert not np.isnan(file.ratings.score).any()


def test_every_sample_of_ratings_is_among_those_read():
    samples = {path.name for path in SAMPLES.glob("*.csv")}
    assert samples == FIELD.keys()
