"""The example files of the notebooks, drawn anew: `python -m docs.notebooks.make_data`.

Captions are those of the demo's captioners, ratings those of simulated people: 16 look, two click
at random. Nothing in them is real.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from rehearsal.demo.campaign import demo_scenes, video_name
from rehearsal.demo.captioners import captions
from rehearsal.people.personas import Persona, draw_personas, respond

DATA = Path(__file__).parent / "data"
REFERENCE = "human-a"
SYSTEMS = ("human-b", "imaginative", "restless", "confused", "vague")
VIDEOS, HIT_VIDEOS = 30, 10
PEOPLE = {"honest": 16 / 18, "random": 2 / 18}
DAMAGED = 0.25  # of a caption's quality is left when half of its words were exchanged
Row = Sequence[object]


def main() -> None:
    rng = np.random.default_rng(7)
    scenes = demo_scenes(VIDEOS)
    told = {video_name(scene): captions(scene) for scene in scenes}
    videos = list(told)
    texts = [[video, name, told[video][name].text] for video in videos for name in SYSTEMS]
    write("captions.csv", "video,system,caption", texts)
    references = [[video, REFERENCE, told[video][REFERENCE].text] for video in videos]
    write("references.csv", "video,source,caption", references)
    qualities = {
        video: {name: told[video][name].quality for name in (*SYSTEMS, REFERENCE)}
        for video in videos
    }
    people = draw_personas(18, PEOPLE, rng)
    rows = [
        row for number, person in enumerate(people) for row in rate(number, person, qualities, rng)
    ]
    write("ratings.csv", "annotator,hit,system,item,kind,score,seconds", rows)


def rate(
    number: int, person: Persona, qualities: dict[str, dict[str, float]], rng: np.random.Generator
) -> Iterator[Row]:
    """One HIT: every system of its videos, and controls: captions damaged, and shown again."""
    place = number % (VIDEOS // HIT_VIDEOS)
    for video in list(qualities)[HIT_VIDEOS * place :][:HIT_VIDEOS]:
        shown = [(name, "system", qualities[video][name]) for name in SYSTEMS]
        control = qualities[video][REFERENCE]
        shown += [(REFERENCE, "reference", control), (REFERENCE, "degraded", DAMAGED * control)]
        name = SYSTEMS[int(rng.integers(len(SYSTEMS)))]
        shown += [(name, "degraded", DAMAGED * qualities[video][name])]
        for system, kind, quality in shown:
            answer = respond(person, quality, seconds=6.0, rng=rng)
            who, hit = f"annotator-{number + 1:02}", f"hit-{place + 1}"
            yield [who, hit, system, video, kind, answer.score, f"{answer.seconds:.1f}"]


def write(name: str, header: str, rows: Iterable[Row]) -> None:
    with (DATA / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
