"""`make findings`: the tables of docs/findings.md, as the commands print them.

Reads the published data in the folder that DA_PUBLISHED names, and replaces what stands between the
marks of each table. `--check` writes nothing and fails where the page says something else.
"""

from __future__ import annotations

import csv
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from io import StringIO
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "findings.md"
WORDS = {"bleu4": "BLEU-4", "rougel": "ROUGE-L", "cider": "CIDEr"}
QUICK = ("--draws", "1", "--placebo", "0")
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
CUT = "multiple-annotator/2018"
Row = Mapping[str, str]
Tables = dict[str, list[Row]]


def correlate(*options: object) -> Tables:
    """What `manage.py correlate` writes, by the name of the file."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory(prefix="da-findings-") as folder:
        out = Path(folder) / "out"
        call_command("correlate", *map(str, options), *QUICK, "--out", str(out),
                     stdout=StringIO(), stderr=StringIO())  # fmt: skip
        return {path.stem: rows_of(path) for path in out.glob("*.csv")}


def rows_of(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def one(rows: Iterable[Row], **wanted: str) -> Row:
    [found] = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return found


def short(value: str) -> str:
    """
    >>> short("0.17849"), short("-0.03")
    ('.178', '-.030')
    """
    return f"{float(value):.3f}".replace("0.", ".", 1)


def table(*rows: Iterable[object]) -> str:
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    dashes = "|" + "---|" * (lines[0].count("|") - 1)
    return "\n".join([lines[0], dashes, *lines[1:]])


def years(data: Path) -> str:
    """Every set of TRECVID, lined up as the alignment check finds, and as numbered."""
    return table(
        ("", "captions", *WORDS.values(), "CIDEr with `--shift 0`", "CIDEr, systems"),
        *(year(data / "trecvid-vtt", name, folder) for name, folder in YEARS.items()),
    )


def year(data: Path, name: str, folder: str) -> list[str]:
    human = ["--human", data / folder, "--scores", "z", "--robustness", "drift"]
    human += ["--whole", data / "single-annotator" / "2018"] if folder == CUT else []
    lined_up = correlate(*human, "--compute", ",".join(WORDS), "--shift", "auto")["correlations"]
    numbered = correlate(*human, "--compute", "cider", "--shift", 0)["correlations"]
    cider, systems = (one(lined_up, metric="cider", level=level) for level in ("caption", "system"))
    return [
        name,
        f"{int(cider['n']):,}",
        *(short(one(lined_up, metric=metric, level="caption")["pearson"]) for metric in WORDS),
        short(one(numbered, metric="cider", level="caption")["pearson"]),
        f"{short(systems['pearson'])} ({systems['n']})",
    ]


def words(data: Path) -> str:
    """What shuffling and fewer references do to metrics of words, in one set."""
    found = correlate(
        "--human", data / "trecvid-vtt" / "multiple-annotator" / "2019", "--compute",
        ",".join(WORDS), "--scores", "z", "--shift", "auto", "--robustness", "shuffle,references",
    )  # fmt: skip
    rows = found["robustness"]
    return table(
        ("", "r", "words shuffled, mean of 20", "lowest", "highest", "one reference, mean of 5",
         "lowest", "highest"),
        *(
            (
                name,
                short(one(found["correlations"], metric=metric, level="caption")["pearson"]),
                *spread(one(rows, check="word order", metric=metric)),
                *spread(one(rows, check="references", condition="1 of 5", metric=metric)),
            )
            for metric, name in WORDS.items()
        ),
    )  # fmt: skip


def spread(row: Row) -> list[str]:
    return [short(row[name]) for name in ("pearson", "low", "high")]


def factuality(data: Path) -> str:
    """Table 4 of factvc-2023, from the scores that were computed with METEOR's program."""
    folder = data / "youcook2-fact"
    metrics = {"meteor": "METEOR", "rougel": "ROUGE-L", "bleu4": "BLEU-4", "cider": "CIDEr"}
    found = correlate(
        "--human", folder / "human.csv", "--metrics", folder / "scores.csv", "--only",
        ",".join(metrics), "--without", "VLTinT",
    )["correlations"]  # fmt: skip
    levels = ("paragraph", "sentence", "word")
    return table(
        ("", *levels),
        *(
            (
                name,
                *(
                    short(one(found, metric=metric, level="caption", human=level)["pearson"])
                    for level in levels
                ),
            )
            for metric, name in metrics.items()
        ),
    )


TABLES: Mapping[str, Callable[[Path], str]] = {
    "years": years,
    "words": words,
    "factuality": factuality,
}


def stands(page: str, name: str) -> str:
    """The table as it stands on the page."""
    found = _marks(name).search(page)
    if found is None:
        raise ValueError(f"docs/findings.md: the marks of the table {name} are missing")
    return found[2].strip()


def written(page: str, name: str, made: str) -> str:
    return _marks(name).sub(lambda found: f"{found[1]}\n{made}\n{found[3]}", page)


def _marks(name: str) -> re.Pattern[str]:
    begin, end = re.escape(f"<!-- findings: {name} -->"), re.escape("<!-- end -->")
    return re.compile(f"({begin})(.*?)({end})", re.DOTALL)


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "daplatform.settings")
    django.setup()
    data = Path(os.environ.get("DA_PUBLISHED", ""))
    if not (data / "trecvid-vtt").is_dir():
        sys.exit("DA_PUBLISHED must name the folder of the published data.")
    page = PAGE.read_text(encoding="utf-8")
    differing = []
    for name, make in TABLES.items():
        made = make(data)
        differing += [name] if stands(page, name) != made else []
        page = written(page, name, made)
    if "--check" in sys.argv:
        sys.exit(f"docs/findings.md differs: {', '.join(differing)}" if differing else 0)
    PAGE.write_text(page, encoding="utf-8")
    print(f"docs/findings.md: {', '.join(differing) or 'nothing'} changed")


if __name__ == "__main__":
    main()
