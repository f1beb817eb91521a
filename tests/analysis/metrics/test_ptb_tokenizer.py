"""The tokenizer against the program it stands for, on lines chosen, generated and published."""

from __future__ import annotations

import csv
import random

import pytest

from analysis.metrics.words import ptb_tokenize

LINES = [
    "A man is riding a horse.",
    "The dog's owner doesn't like it, can't you see? They're gone!",
    "he said “hello” and ‘hi’ – it’s fine … don’t — stop",
    "it's 5 o'clock and y'all can't say ma'am; rock 'n' roll in the '90s",
    "'tis the season, 'twas the night, give 'em 'til noon 'cause",
    "O'Brien and D'Angelo eat s'mores, c'mon",
    "a man e.g. a boy i.e. him etc. and so on vs. Mr. Smith of St. John Inc.",
    "in the U.S. Army at 5 p.m. He left the U.S. J. R. R. Tolkien",
    "wearing a. The man sees x. He is on b. Women",
    "no. 5 is fig. 3 but no. it is not",
    "man., he; dog.: cat",
    "end of one.The next one begins.and goes on!really?yes",
    "gonna gotta wanna lemme gimme cannot Cannot. GONNA, wannabe",
    "a black-and-white t-shirt, a 10-year-old's x-ray, foo--bar - baz -- qux ---",
    "and/or his/her/their a/b/c/d 1/2 cup 1 1/2 cups 12/25/2016 24/7",
    "10,000 people, 1.5 m, .5, -5, +5, 10:30pm, 5% of $5 or £5 or €5, US$5",
    "(a man) [in] {brackets} <unk> <UNK> <b>bold</b> < 3",
    "AT&T and R&B but rock&roll & more &amp; less C++ C#",
    "#hashtag #1 @user a@b.com http://www.example.com/x www.example.com.",
    "snake_case _x_ sh*t *barbecues* a=b a+b 2+2= ~ ^ | \\ 50%",
    "what?! no!! yes... no.. hmm .... . . . end",
    ':) :-) ;) :D =) :( <3 "quoted" "half',
    "café naïve Señor 日本 ½ cup ¼",
    "woman's women's boys' 80's TV's it's its' he'll he'd he've I'm",
    "two  blanks\tand a tab",
    "-",
    "...",
]


def test_it_splits_the_chosen_lines_as_the_reference_does(stanford):
    assert [ptb_tokenize(line) for line in LINES] == stanford(LINES)


def test_it_splits_generated_captions_as_the_reference_does(stanford):
    text = (
        "a man woman's dogs' U.S. don't t-shirt 3 10,000 2.5 cannot etc. x-ray and/or it's Mr. "
        "isn't café 5th TV 1/2 gonna O'Brien 's no 80s red-haired The McDonald's $5 50%"
    )
    words = text.split()
    rng = random.Random(7)
    lines = [
        " ".join(
            rng.choice(words)
            + rng.choice(["", "", "", "", ",", ".", ";", "!", "?", '"', ")", " -"])
            for _ in range(rng.randint(1, 12))
        )
        for _ in range(3000)
    ]
    assert [ptb_tokenize(line) for line in lines] == stanford(lines)


@pytest.mark.published
def test_it_splits_every_published_caption_as_the_reference_does(stanford, published):
    lines = set()
    for path in sorted(published.glob("trecvid-vtt/*/*/*/*")):
        lines.update(path.read_text(encoding="utf-8", errors="replace").splitlines())
    for name in ("captions", "references"):
        with (published / "youcook2-fact" / f"{name}.csv").open(encoding="utf-8") as file:
            lines.update(row["caption"] for row in csv.DictReader(file))
    captions = sorted(line for line in lines if line.strip())
    assert len(captions) > 50_000
    ours = [ptb_tokenize(line) for line in captions]
    differing = [
        (line, mine, theirs)
        for line, mine, theirs in zip(captions, ours, stanford(captions), strict=True)
        if mine != theirs
    ]
    assert differing == []


def test_a_caption_is_not_changed_by_the_one_after_it():
    assert ptb_tokenize("a man is holding a.") == "a man is holding a."


def test_every_line_break_is_a_blank():
    assert ptb_tokenize("a\nb") == "a b"


def test_nothing_but_punctuation_leaves_nothing():
    assert ptb_tokenize("?! - ... '' ``") == "?!"  # the reference's list has ? and ! only alone
