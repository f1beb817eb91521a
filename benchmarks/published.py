"""What the commands find in the published data, as docs/findings.md tells it."""

from __future__ import annotations

import csv
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORDS = {"bleu4": "BLEU-4", "rougel": "ROUGE-L", "cider": "CIDEr"}
SHIFTS = ("-2", "-1", "0", "1", "2")
YEARS = {
    "multiple annotators 2016": "multiple-annotator/2016",
    "multiple annotators 2017": "multiple-annotator/2017",
    "multiple annotators 2018 ¹": "multiple-annotator/2018",
    "multiple annotators 2019": "multiple-annotator/2019",
    "single annotator 2016 ²": "single-annotator/2016",
    "single annotator 2017 ²": "single-annotator/2017",
    "single annotator 2018": "single-annotator/2018",
    "single annotator 2019": "single-annotator/2019",
}
CUT, WHOLE = "multiple-annotator/2018", "single-annotator/2018"
MANY_2019 = "multiple-annotator/2019"
EVERY_LINE = "single-annotator/2017"
LEVEL = 0.05
Row = Mapping[str, str]
Tables = dict[str, list[Row]]
Texts = dict[str, str]


def correlate(*options: object, draws: int = 1) -> Tables:
    """What `manage.py correlate` writes, by the name of the file."""
    return wrote("correlate", *options, "--placebo", 0, "--draws", draws)


def wrote(command: str, *options: object) -> Tables:
    """The tables that a command writes, by the name of the file."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory(prefix="da-findings-") as folder:
        out = Path(folder) / "out"
        call_command(command, *map(str, options), "--out", str(out),
                     stdout=StringIO(), stderr=StringIO())  # fmt: skip
        return {path.stem: rows_of(path) for path in out.glob("*.csv")}


def rows_of(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def some(rows: Iterable[Row], **wanted: str) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def one(rows: Iterable[Row], **wanted: str) -> Row:
    [found] = some(rows, **wanted)
    return found


def short(value: str | float, digits: int = 3) -> str:
    """
    >>> short("0.17849"), short("-0.03"), short(0.07, 2)
    ('.178', '−.030', '.07')
    """
    return f"{float(value):.{digits}f}".replace("0.", ".", 1).replace("-", "−")


def bound(value: float) -> str:
    """The next two digits above a number.

    >>> bound(0.0612)
    '.07'
    """
    return short(math.ceil(value * 100) / 100, 2)


def several(texts: Sequence[str]) -> str:
    """
    >>> several(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def table(*rows: Iterable[object]) -> str:
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    dashes = "|" + "---|" * (lines[0].count("|") - 1)
    return "\n".join([lines[0], dashes, *lines[1:]])


def years(data: Path) -> Texts:
    """Every set of TRECVID, lined up as the alignment check finds, and as numbered."""
    folder = data / "trecvid-vtt"
    found = {name: _year(folder, place) for name, place in YEARS.items()}
    at = {name: _by_shift(tables["alignment"]) for name, tables in found.items()}
    others = {name: max(v for s, v in own.items() if s != "-1") for name, own in at.items()}
    cut = next(name for name, place in YEARS.items() if place == CUT)
    many = next(name for name, place in YEARS.items() if place == MANY_2019)
    beaten = {name: _beaten(tables["williams"]) for name, tables in found.items()}
    return {
        "years": table(
            ("", "captions", *WORDS.values(), "CIDEr with `--shift 0`", "CIDEr, systems"),
            *(_year_row(folder, name, found[name]["correlations"]) for name in YEARS),
        ),
        "years.peaks": str(sum(max(own, key=own.__getitem__) == "-1" for own in at.values())),
        "years.others": bound(max(others.values())),
        "years.2019": ", ".join(
            f"**{short(at[many][s], 2)}**" if s == "-1" else short(at[many][s], 2) for s in SHIFTS
        ),
        "years.better": str(sum(own == set(WORDS) - {"cider"} for own in beaten.values())),
        "years.undecided": several(
            [_plain(name) for name, own in beaten.items() if "rougel" not in own]
        ),
        "cut.peak": short(at[cut]["-1"], 2),
        "cut.others": bound(others[cut]),
    } | _numbers(folder)


def _options(folder: Path, place: str) -> list[object]:
    options = ["--human", folder / place, "--scores", "z", "--robustness", "drift"]
    return options + (["--whole", folder / WHOLE] if place == CUT else [])


def _year(folder: Path, place: str) -> Tables:
    return correlate(*_options(folder, place), "--compute", ",".join(WORDS), "--shift", "auto")


def _year_row(folder: Path, name: str, lined_up: Sequence[Row]) -> list[str]:
    options = _options(folder, YEARS[name])
    numbered = correlate(*options, "--compute", "cider", "--shift", 0)["correlations"]
    cider, systems = (one(lined_up, metric="cider", level=level) for level in ("caption", "system"))
    return [
        name,
        f"{int(cider['n']):,}",
        *(short(one(lined_up, metric=metric, level="caption")["pearson"]) for metric in WORDS),
        short(one(numbered, metric="cider", level="caption")["pearson"]),
        f"{short(systems['pearson'])} ({systems['n']})",
    ]


def _by_shift(alignment: Sequence[Row]) -> dict[str, float]:
    """CIDEr's correlation with people within systems at every shift."""
    rows = some(alignment, metric="cider")
    return {row["shift"]: float(row["r_within_systems"]) for row in rows if row["shift"] in SHIFTS}


def _beaten(williams: Sequence[Row]) -> set[str]:
    """The metrics that CIDEr is significantly better than, over captions."""
    rows = some(williams, level="caption", better="cider")
    return {row["worse"] for row in rows if float(row["p_holm"]) < LEVEL}


def _plain(name: str) -> str:
    return name.rstrip(" ¹²")


def _numbers(folder: Path) -> Texts:
    """How the sentence numbers of the scores run, beside the lines of the systems."""
    from analysis.evaluation import trecvid

    sids = {place: trecvid.read_human(folder / place).frame for place in YEARS.values()}
    zeros = {place: int((_lines(frame) == 0).sum()) for place, frame in sids.items()}
    every = sids[EVERY_LINE]
    lines = len(set(trecvid.read_captions(folder / EVERY_LINE).videos))
    assert set(_lines(every)) == set(range(lines)), "not every number occurs"
    return {
        "sid.sets": str(sum(map(bool, zeros.values()))),
        "sid.zeros": str(sum(zeros.values())),
        "sid.highest": f"{lines - 1:,}",
        "sid.lines": f"{lines:,}",
    }


def _lines(frame):
    return frame.index.get_level_values("video").astype(int)


def cut_lines(data: Path) -> Texts:
    """The set from which lines are missing, matched with the whole one by its texts."""
    from analysis.evaluation import trecvid

    folder = data / "trecvid-vtt"
    some_, whole = (trecvid._texts(folder / place / "systems") for place in (CUT, WHOLE))
    kept = trecvid.matching_lines(some_, whole)
    lines = len(next(iter(trecvid._texts(folder / CUT / "references").values())))
    many, single = (trecvid.read_human(folder / place).frame for place in (CUT, WHOLE))
    columns = [
        next(name for name in frame.columns if "z" in name.lower()) for frame in (many, single)
    ]

    def together(first: int, second: int) -> float:
        """r of both people's scores of the same caption, their numbers counted from these."""
        pairs = []
        for at, score in many[columns[0]].items():
            sid, system = str(at[0]), str(at[1])  # type: ignore[index]
            line = int(sid) - first
            key = (str(kept[line] + second), system) if 0 <= line < len(kept) else None
            if key in single.index:
                pairs.append((score, single.at[key, columns[1]]))
        return pearson(*np.array(pairs).T)

    return {
        "cut.lines": f"{len(kept):,}",
        "cut.references": f"{lines:,}",
        "cut.missing": str(lines - len(kept)),
        "cut.together": short(together(1, 1), 2),
        "cut.otherwise": bound(max(together(0, 1), together(1, 0))),
    }


def words(data: Path) -> Texts:
    """What shuffling, fewer references and the filter do to metrics of words, in one set."""
    found = correlate(
        "--human", data / "trecvid-vtt" / MANY_2019, "--compute", ",".join(WORDS), "--scores", "z",
        "--shift", "auto", "--robustness", "shuffle,references",
    )  # fmt: skip
    rows = found["robustness"]
    lead = one(found["verdicts"], better="cider", worse="rougel")
    filters = some(found["filters"], removed_for="the metric")
    return {
        "words": table(
            ("", "r", "words shuffled, mean of 20", "lowest", "highest",
             "one reference, mean of 5", "lowest", "highest"),
            *(
                (
                    name,
                    short(one(found["correlations"], metric=metric, level="caption")["pearson"]),
                    *spread(one(rows, check="word order", metric=metric)),
                    *spread(one(rows, check="references", condition="1 of 5", metric=metric)),
                )
                for metric, name in WORDS.items()
            ),
        ),
        "lead.removed": lead["removed"],
        "lead.cider": short(lead["r_better_after"]),
        "lead.rougel": short(lead["r_worse_after"]),
        "lead.doubt": count(lead["captions_to_doubt"]),
        "lead.reverse": count(lead["captions_to_reverse"]),
        "filter.ranks": moved(one(filters, metric="cider", variant="rank"), "kendall_c"),
        "filter.values": moved(one(filters, metric="bleu4", variant="linear"), "kendall_c"),
    }  # fmt: skip


def spread(row: Row) -> list[str]:
    return [short(row[name]) for name in ("pearson", "low", "high")]


def count(value: str) -> str:
    return f"{float(value):.0f}"


def moved(row: Row, coefficient: str) -> str:
    before, after = (short(row[f"{coefficient}_{when}"]) for when in ("before", "after"))
    return f"{before} to {after}"


def factuality(data: Path) -> Texts:
    """Table 4 of factvc-2023, from the scores that were computed with METEOR's program."""
    folder = data / "youcook2-fact"
    metrics = {"meteor": "METEOR", "rougel": "ROUGE-L", "bleu4": "BLEU-4", "cider": "CIDEr"}
    levels = ("paragraph", "sentence", "word")
    found = correlate(
        "--human", folder / "human.csv", "--metrics", folder / "scores.csv", "--only",
        ",".join(metrics), "--without", "VLTinT", draws=1_000,
    )  # fmt: skip
    tests = some(found["williams"], level="caption", better="meteor", worse="rougel")
    verdicts = some(found["verdicts"], better="meteor", worse="rougel")
    doubts = [float(row["captions_to_doubt"]) for row in verdicts]
    return {
        "factuality": table(
            ("", *levels),
            *(
                (
                    name,
                    *(
                        short(one(found["correlations"], metric=metric, level="caption",
                                  human=level)["pearson"])
                        for level in levels
                    ),
                )
                for metric, name in metrics.items()
            ),
        ),
        "factuality.p": ", ".join(short(one(tests, human=level)["p"]) for level in levels),
        "factuality.permuted": short(one(tests, human="sentence")["permutation_p"], 2),
        "factuality.doubt": f"{min(doubts):.0f} to {max(doubts):.0f}",
        "factuality.captions": one(tests, human="word")["n"],
    }  # fmt: skip


def two_bleus(data: Path) -> Texts:
    """How alike two programs of one name are, over the captions of one set."""
    from analysis.evaluation import trecvid
    from analysis.metrics.context import ScoringContext
    from analysis.metrics.scoring import score
    from analysis.metrics.settings import Settings

    captions = trecvid.read_captions(data / "trecvid-vtt" / MANY_2019)
    names = ["bleu4", "sentbleu"]
    found = score(captions.batch(), names, Settings(), ScoringContext()).values
    return {"bleu.sacre": short(pearson(*(found[name] for name in names)), 2)}


def pearson(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.corrcoef(one, other)[0, 1])


FINDINGS = (years, cut_lines, words, factuality)
