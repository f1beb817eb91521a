"""The numbers of docs/papers.md: ours beside those that papers print, where both are at hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.published import (
    LEVEL,
    WHOLE,
    Row,
    Texts,
    correlate,
    one,
    rows_of,
    short,
    some,
    table,
    wrote,
)

CROWDS = ("wmt21-cs-en", "wmt21-ha-en")
YEARS = ("2016", "2017", "2018", "2019")
MEAN = "mean"
METRICS = {
    "bleu4": "BLEU-4", "sentbleu": "SentBLEU", "meteor": "METEOR", "rougel": "ROUGE-L",
    "cider": "CIDEr",
}  # fmt: skip


def crowds(data: Path) -> Texts:
    """Direct Assessment as the method's authors ran it: what they published, and `analyse`."""
    rows: list[tuple[object, ...]] = [("points", "crowd", "what", "published", "ours")]
    for name in CROWDS:
        folder = data / name
        found = wrote("analyse", folder / "ratings.csv", "--keep-all-annotators", "--draws", 1)
        told = {path.stem: rows_of(path) for path in (folder / "expected").glob("*.csv")}
        checked = {row["annotator"] for row in told["quality"]}
        own = [row for row in found["annotators"] if row["annotator"] in checked]
        significant = [row for row in found["significance"] if float(row["p"]) < 0.05]
        best = max(told["systems"], key=lambda row: float(row["z"]))["system"]
        z = [_z(systems, best) for systems in (told["systems"], found["systems"])]
        rows += [
            ("D14, D15", name, "checked annotators with p < .05", _few(told["quality"]), _few(own)),
            ("D17, D18", name, f"z of {best}, the best", *z),
            ("D19", name, "significant pairs of systems", len(told["significance"]),
             len(significant)),
        ]  # fmt: skip
    return {"crowds": table(*rows)}


def _few(rows: Iterable[Row]) -> int:
    return sum(float(row["p"]) < 0.05 for row in rows)


def _z(rows: Sequence[Row], system: str) -> str:
    return short(one(rows, system=system)["z"], 4)


def factuality_beside(data: Path) -> Texts:
    """Table 4 of factvc-2023, of the five systems it is about."""
    folder = data / "youcook2-fact"
    levels = ("paragraph", "sentence", "word")
    printed = {row["metric"]: row for row in rows_of(folder / "published.csv")}
    found = correlate(
        "--human", folder / "human.csv", "--metrics", folder / "scores.csv", "--only",
        ",".join(printed), "--without", "VLTinT",
    )["correlations"]  # fmt: skip
    rows = [
        (METRICS[metric], *(short(row[level]) for level in levels),
         *(short(one(found, metric=metric, level="caption", human=level)["pearson"])
           for level in levels))
        for metric, row in printed.items()
    ]  # fmt: skip
    head = ("", *(f"{level}, printed" for level in levels), *(f"{level}, ours" for level in levels))
    return {"table4": table(head, *rows)}


def years_beside(data: Path) -> Texts:
    """Tables 1 to 4 of bertha-2022 with the metrics at hand, each kind of set in one command."""
    made: Texts = {}
    for kind, numbers in (("single", (1, 3)), ("multiple", (2, 4))):
        options = [*_years(data, kind), "--scores", "z", "--leave-out-of-mean", "2016"]
        sets = correlate(*options, "--compute", ",".join(METRICS))["sets"]
        for number, level in zip(numbers, ("system", "caption"), strict=True):
            rows = some(sets, level=level)
            shown = [
                (title, *(short(one(rows, metric=metric, set=year)["pearson"])
                          for year in (*YEARS, MEAN)))
                for metric, title in METRICS.items()
            ]  # fmt: skip
            made |= {f"bertha{number}": table(("", *YEARS, "mean without 2016"), *shown)}
    return made


def _years(data: Path, kind: str) -> list[object]:
    """All years of one kind of set, as `correlate` and `learn` take them."""
    folder = data / "trecvid-vtt"
    named = (("--set", f"{year}={folder / f'{kind}-annotator' / year}") for year in YEARS)
    return [*chain(*named), "--whole", f"2018={folder / WHOLE}", "--shift", "auto"]


def learned(data: Path) -> Texts:
    """A head on every year it did not learn from, beside the metrics it must beat."""
    sets = wrote("learn", "head", "--leave-one-out", *_years(data, "multiple"))["sets"]
    rows = some(sets, level="caption")
    lead = [
        (float(one(rows, metric="head", set=year)["pearson"])
         - float(one(rows, metric="sts", set=year)["pearson"]),
         float(one(rows, metric="sts", set=year)["p_williams"]))
        for year in YEARS
    ]  # fmt: skip
    shown = [
        (f"`{row['metric']}`",
         *(short(one(rows, metric=row["metric"], set=year)["pearson"]) for year in (*YEARS, MEAN)))
        for row in sorted(some(rows, set=MEAN), key=lambda row: -float(row["pearson"]))
    ]  # fmt: skip
    return {
        "learned": table(("", *YEARS, "mean"), *shown),
        "learned.lead": short(sum(gain for gain, _ in lead) / len(lead)),
        "learned.ahead": f"{sum(gain > 0 for gain, _ in lead)} of {len(lead)}",
        "learned.surely": str(sum(p < LEVEL for _, p in lead)),
    }


FINDINGS = (crowds, factuality_beside, years_beside)
