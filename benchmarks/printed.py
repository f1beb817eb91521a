"""The numbers of docs/papers.md: ours beside those that papers print, where both are at hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from itertools import chain, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.management import call_command

from benchmarks.published import (
    LEVEL,
    WHOLE,
    Row,
    Tables,
    Texts,
    correlate,
    one,
    rows_of,
    short,
    some,
    table,
    wrote,
)
from benchmarks.scenes import write_scenes

CROWDS = ("wmt21-cs-en", "wmt21-ha-en")
YEARS = ("2016", "2017", "2018", "2019")
MEAN = "mean"
KINDS = {"single": (1, 3), "multiple": (2, 4)}  # the tables of the paper, by level
LEVELS = ("system", "caption")
METRICS = {
    "bleu4": "BLEU-4", "sentbleu": "SentBLEU", "meteor": "METEOR", "rougel": "ROUGE-L",
    "cider": "CIDEr",
}  # fmt: skip
PAPERS = "papers"
PRINTED = {
    "bleu4": "bleu-4", "sentbleu": "sentbleu", "meteor": "meteor", "rougel": "rouge",
    "cider": "cider",
}  # fmt: skip
GROUPS = {"SA": "single-annotator", "MA": "multiple-annotator"}
TABLES = {1: ("system", "SA"), 2: ("system", "MA"), 3: ("caption", "SA"), 4: ("caption", "MA")}


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


def paper(data: Path, name: str) -> str:
    """The text of a paper, which lies beside the published data. Raises FileNotFoundError."""
    return (data.parent / PAPERS / f"{name}.txt").read_text(encoding="utf-8")


def printed_table(text: str, number: int) -> dict[str, dict[str, str]]:
    """A table by row and column: the lines with tabs above its caption.

    >>> found = printed_table("x\\n\\n\\tVTT-16\\nCider\\t<b>0.811</b>\\n\\nTable 1: …", 1)
    >>> found
    {'cider': {'VTT-16': '0.811'}}
    """
    above = re.split(rf"^Table {number}:", text, flags=re.MULTILINE)[0].rstrip().splitlines()
    lines = list(takewhile(lambda line: "\t" in line, reversed(above)))[::-1]
    head, *rows = ([re.sub("</?b>", "", cell) for cell in line.split("\t")] for line in lines)
    return {row[0].lower(): dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def years_beside(data: Path) -> Texts:
    """Tables 1 to 4 of bertha-2022 with the metrics and years at hand: printed / ours."""
    text = paper(data, "bertha-2022")
    every = [*_grouped(data), "--scores", "z", "--leave-out-of-mean", "2016"]
    found = correlate(*every, "--compute", ",".join(METRICS))
    return {
        f"bertha{number}": _year_table(printed_table(text, number), _ours(found, level, group))
        for number, (level, group) in TABLES.items()
    }


def year_beside(data: Path, group: str, year: str) -> dict[str, dict[str, str]]:
    """Ours of one year of Tables 1 to 4, by table and the name of each metric."""
    name = f"{group}/{year}"
    sets = _sets(data, {name: f"{GROUPS[group]}/{year}"})
    found = correlate(*sets, "--scores", "z", "--compute", ",".join(METRICS))["sets"]
    return {
        f"bertha{number}": {
            title: short(float(one(rows, metric=metric, set=name)["pearson"]))
            for metric, title in METRICS.items()
        }
        for number, (level, of_group) in TABLES.items()
        if of_group == group and (rows := some(found, level=level))
    }


def _ours(found: Tables, level: str, group: str) -> dict[tuple[str, str], float]:
    return {
        (row["metric"], row["set"].removeprefix(f"{group}/")): float(row["pearson"])
        for row in some(found["sets"], level=level)
        if row["set"].startswith(group)
    }


def _year_table(
    told: Mapping[str, Mapping[str, str]], ours: Mapping[tuple[str, str], float]
) -> str:
    """Metrics that both have, by year; the mean is over 2017 to 2019 on both sides."""
    head = ["printed / ours", *YEARS, "mean of 2017 to 2019"]
    rows = []
    for metric, title in METRICS.items():
        own = told.get(PRINTED[metric])
        if own is None or (metric, YEARS[0]) not in ours:
            continue
        cells = [(float(own[f"VTT-{year[2:]}"]), ours[metric, year]) for year in YEARS]
        mean = tuple(sum(side) / 3 for side in zip(*cells[1:], strict=True))
        rows.append((title, *(_beside(*pair) for pair in [*cells, mean])))
    return table(head, *rows)


def _beside(printed: float, ours: float) -> str:
    return f"{short(printed)} / {short(ours)}"


def errors_beside(data: Path) -> Texts:
    """Share of paragraphs, sentences and words in error of YouCook2-Fact (factvc-2023)."""
    kinds = ("paragraphs", "sentences", "words")
    pattern = ",? (?:and )?".join(rf"([\d.]+)% of the {kind}" for kind in kinds)
    told = re.findall(pattern, paper(data, "factvc-2023"))[-1]
    file = data / "youcook2-fact" / "factuality_annotation.json"
    found = wrote("analyse", file)["errors"]
    own = [f"{100 * float(row['share']):.1f}" for row in found]
    rows = zip(kinds, told, own, strict=True)
    return {"errors": table(("in error, %", "printed", "ours"), *rows)}


def _years(data: Path, kind: str) -> list[object]:
    """All years of one kind of set, as `correlate` and `learn` take them."""
    return _sets(data, {year: f"{kind}-annotator/{year}" for year in YEARS})


def _grouped(data: Path) -> list[object]:
    """Both kinds in one command."""
    return _sets(data, {f"{group}/{year}": f"{kind}/{year}"
                        for group, kind in GROUPS.items() for year in YEARS})  # fmt: skip


def _sets(data: Path, places: Mapping[str, str]) -> list[object]:
    folder = data / "trecvid-vtt"
    named = chain(*(("--set", f"{name}={folder / place}") for name, place in places.items()))
    cut = [name for name in places if name.endswith("2018")]
    whole = chain(*(("--whole", f"{name}={folder / WHOLE}") for name in cut))
    return [*named, *whole, "--shift", "auto"]


def learned(data: Path) -> Texts:
    """Learned metrics on every year they did not learn from, beside all that they must beat."""
    with TemporaryDirectory() as place:
        return learned_texts(learned_tables(data, Path(place)))


def learned_tables(data: Path, place: Path) -> dict[str, Tables]:
    """The tables by metric, the cheapest first; each is held against those before it, too."""
    made: dict[str, Tables] = {}
    for name, (kind, *how) in learned_kinds(data).items():
        earlier = chain(*(("--beside", place / other) for other in made))
        options = ("--leave-one-out", "--name", name, *how, *earlier, *_years(data, "multiple"))
        if not (place / name).exists():
            call_command(
                "learn", kind, *map(str, options), "--out", str(place / name), stdout=StringIO()
            )
        made[name] = {path.stem: rows_of(path) for path in (place / name).glob("*.csv")}
    return made


def learned_kinds(data: Path) -> dict[str, tuple[object, ...]]:
    """What is learned, and how, the cheapest to compute first."""
    single = data / "trecvid-vtt" / "single-annotator"
    extra = chain(*(("--extra", f"{year}={single / year}") for year in YEARS))
    return {
        "fusion": ("fusion",),
        "head_numbers": ("head", "--recipe", "numbers"),
        "head": ("head",),
        "bertha": ("bertha",),
        "bertha_pairs": ("bertha", "--pairs"),
        "head_extra": ("head", *extra),
    }


CHOOSE = ("head", "head_extra", "bertha", "bertha_pairs")


def learned_texts(tables: Mapping[str, Tables]) -> Texts:
    """What the page says of the tables that there are."""
    sets = {name: some(found["sets"], level="caption") for name, found in tables.items()}
    rows = [row for found in sets.values() for row in found]
    unlike = {(row["metric"], row["set"]): row for row in rows}.values()  # text metrics recur
    means = sorted(some(unlike, set=MEAN), key=lambda row: -float(row["pearson"]))
    shown = [
        (f"`{row['metric']}`",
         *(short(one(unlike, metric=row["metric"], set=year)["pearson"])
           for year in (*YEARS, MEAN)))
        for row in means
    ]  # fmt: skip
    made = {"learned": table(("", *YEARS, "mean"), *shown)}
    for name, found in sets.items():
        made |= _lead(name, found)
        if name in CHOOSE:
            made[f"{name}.chosen"] = table(
                ("left out", "chosen without it"), *_chosen(tables[name])
            )
    made["beside"] = table(
        ("", "against", "r more, in the mean", "above it in", "significantly in"),
        *((f"`{name}`", f"`{other}`", *_more(found, name, other))
          for name, found in sets.items() for other in sets
          if name != other and some(found, metric=other)),
    )  # fmt: skip
    tried = some(tables["head"]["recipes"])
    names = dict.fromkeys(row["recipe"] for row in tried if not row["recipe"].startswith("mean of"))
    made["recipes"] = table(
        ("recipe", *YEARS),
        *((name, *(short(one(tried, recipe=name, set=year)["r_within_the_others"])
                   for year in YEARS)) for name in names),
    )  # fmt: skip
    return made


def _lead(name: str, rows: Sequence[Row]) -> Texts:
    """How far a learned metric is ahead of the cosine of the same model."""
    lead, ahead, surely = _more(rows, name, "sts")
    return {f"{name}.lead": lead, f"{name}.ahead": ahead, f"{name}.surely": surely}


def _more(rows: Sequence[Row], name: str, other: str) -> tuple[str, str, str]:
    """By how much a metric is above another, in how many years, and in how many significantly."""
    lead = [
        (float(one(rows, metric=name, set=year)["pearson"])
         - float(one(rows, metric=other, set=year)["pearson"]),
         float(one(rows, metric=other, set=year)["p_williams"]))
        for year in YEARS
    ]  # fmt: skip
    return (
        short(sum(gain for gain, _ in lead) / len(lead)),
        f"{sum(gain > 0 for gain, _ in lead)} of {len(lead)}",
        str(sum(p < LEVEL for _, p in lead)),
    )


def _chosen(found: Tables) -> list[tuple[object, ...]]:
    return [(row["set"], row["recipe"]) for row in some(found["recipes"], chosen="true")]


def schooled(data: Path) -> Texts:
    """Image-text models before and after training, on scenes that taught and told nothing."""
    rows: list[tuple[object, ...]] = [("", "τ-c before", "after")]
    with TemporaryDirectory() as place:
        folder = write_scenes(Path(place) / "scenes")
        files = ",".join(
            str(folder / f"{name}.csv") for name in ("human", "captions", "references")
        )
        for kind, rate in SCHOOLED.items():
            out = Path(place) / kind
            call_command(
                "learn", kind, "--set", f"scenes={files}", "--videos", str(folder / "clips"),
                "--model", "demo", "--anyway", "--frames", "uniform:2", "--epochs", "4",
                "--batch", "8", "--most", "300", "--rate", rate, "--out", str(out),
                stdout=StringIO(), stderr=StringIO(),
            )  # fmt: skip
            [line] = [
                line for line in (out / "README.md").read_text().splitlines() if "taught" in line
            ]
            rows.append((f"`{kind}`", *(short(cell) for cell in line.split("|")[2:4])))
    return {"schooled": table(*rows)}


SCHOOLED = {"clip": "1e-4", "cloob": "1e-4", "factvc": "1e-3"}


FINDINGS = (crowds, factuality_beside, errors_beside, years_beside)
NEED_PAPERS = (errors_beside, years_beside)
