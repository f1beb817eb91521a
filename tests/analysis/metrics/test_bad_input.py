"""Bad input to `manage.py score`: one sentence each, the rest is scored, the exit code tells."""

from __future__ import annotations

import csv
import errno
import os
import shutil
from pathlib import Path

import av
import numpy as np
import pytest
from django.core.management import call_command

from analysis.metrics.models import Door
from tests.analysis.metrics.conftest import TINY_RESNET, TINY_VIT
from tests.analysis.metrics.pretend import PretendTowers
from tests.clips import make_clip

INCOMPLETE = 3


@pytest.fixture
def pretend_model(monkeypatch):
    """`--model demo` without torch: these tests are about what goes wrong around a model."""
    door = Door("pretend", (), lambda device: PretendTowers())
    monkeypatch.setattr("analysis.metrics.equipment.find_model", lambda choice: door)


class Campaign:
    """Three good videos, each with a reference and a caption; tests add what is bad."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clips = folder / "clips"
        self.clips.mkdir()
        for number in range(3):
            make_clip(self.clips / f"good{number}.mp4", seconds=0.5, shade=number)
        self.captions = {"good0": "a dog runs", "good1": "a cat sleeps", "good2": "birds"}
        self.references = {"good0": "a dog is running", "good1": "the cat", "good2": "two birds"}

    def score(self, metrics: str, *options: object) -> dict[tuple[str, str], str]:
        out = self.folder / "scores.csv"
        captions = [("video", "system", "caption")]
        captions += [(video, "A", text) for video, text in self.captions.items()]
        references = [("video", "source", "caption")]
        references += [(video, "human", text) for video, text in self.references.items()]
        call_command(
            "score",
            str(write(self.folder / "captions.csv", captions)),
            f"--references={write(self.folder / 'references.csv', references)}",
            f"--videos={self.clips}",
            f"--store={self.folder / 'store'}",
            f"--metrics={metrics}",
            f"--out={out}",
            *map(str, options),
        )
        return self.values()

    def incomplete(self, metrics: str, *options: object) -> dict[tuple[str, str], str]:
        with pytest.raises(SystemExit) as exit_:
            self.score(metrics, *options)
        assert exit_.value.code == INCOMPLETE
        return self.values()

    def values(self) -> dict[tuple[str, str], str]:
        with (self.folder / "scores.csv").open() as file:
            return {(row["video"], row["metric"]): row["value"] for row in csv.DictReader(file)}


def write(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def campaign(tmp_path) -> Campaign:
    return Campaign(tmp_path)


def missing(path: Path) -> None:
    pass


def corrupt(path: Path) -> None:
    path.write_bytes(b"this is no video\n" * 100)


def truncated(path: Path) -> None:
    path.write_bytes(path.with_name("good0.mp4").read_bytes()[:900])


def audio_only(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 16000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def without_frames(path: Path) -> None:
    with av.open(str(path), "w", format="matroska") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        container.start_encoding()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (missing, "there is no such file"),
        (corrupt, "it "),
        (truncated, "it "),
        (audio_only, "it holds no picture"),
        (without_frames, "it holds no frames"),
    ],
)
def test_a_bad_video_is_one_sentence_and_the_others_are_scored(
    campaign, pretend_model, capsys, spoil, sentence
):
    spoil(campaign.clips / "bad.mp4")
    campaign.captions["bad"] = campaign.references["bad"] = "a bird flies"
    values = campaign.incomplete("clip_mean,emscore,bleu1")
    told = [line for line in capsys.readouterr().err.splitlines() if "video bad" in line]
    assert len(told) == 1
    assert told[0].startswith(f"video bad: {sentence}")
    assert told[0].endswith("(clip_mean, emscore)")
    assert values.pop(("bad", "clip_mean")) == values.pop(("bad", "emscore")) == ""
    assert all(values.values())


def test_an_empty_list_of_references_costs_only_the_metrics_that_need_one(
    campaign, pretend_model, capsys
):
    del campaign.references["good1"]
    values = campaign.incomplete("bleu1,emscore_text,clip_mean")
    told = capsys.readouterr().err
    assert told.count("video good1: it has no reference (bleu1, emscore_text)") == 1
    assert [key for key, value in values.items() if not value] == [
        ("good1", "bleu1"),
        ("good1", "emscore_text"),
    ]


def test_ten_thousand_words_are_cut_as_the_tokenizer_cuts_and_that_is_said(campaign, capsys):
    campaign.captions["good0"] = "word " * 9_999 + "word"
    values = campaign.score("emscore,clipscore,bleu1,sts")
    told = capsys.readouterr().err
    for model in ("image-text model", "sentence model"):
        assert f"captions longer than the {model} reads: 1; only their beginnings count" in told
    assert all(values.values())


def test_weights_of_another_architecture_are_one_sentence_and_words_are_scored(
    campaign, model_folder, tmp_path, capsys
):
    folder = shutil.copytree(model_folder(TINY_VIT), tmp_path / "model")
    weights = "open_clip_model.safetensors"
    shutil.copy(model_folder(TINY_RESNET) / weights, folder / weights)
    values = campaign.incomplete("clip_mean,bleu1", "--model", folder)
    assert capsys.readouterr().err.count("the weights do not fit") == 1
    assert {metric for (_, metric), value in values.items() if value} == {"bleu1"}


def test_with_no_space_for_the_store_everything_is_scored_and_that_is_said(
    campaign, pretend_model, monkeypatch, capsys
):
    expected = campaign.score("clip_mean,emscore")
    shutil.rmtree(campaign.folder / "store")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    capsys.readouterr()
    assert campaign.incomplete("clip_mean,emscore") == expected
    assert capsys.readouterr().err.count("cannot be written: No space left on device") == 1
