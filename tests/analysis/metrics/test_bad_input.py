"""Bad input to `manage.py score`: one sentence each, the rest is scored, the exit code tells."""

from __future__ import annotations

import csv
import errno
import json
import os
import shutil
from pathlib import Path

import av
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.metrics.encoding.models import DEMO_CAUTION, DEMO_MODEL, ModelRef
from tests.analysis.metrics.conftest import TINY_RESNET, TINY_VIT
from tests.analysis.metrics.pretend import PretendEncoders
from tests.clips import make_clip

INCOMPLETE = 3


@pytest.fixture
def pretend_model(monkeypatch):
    """A model without torch: these tests are about what goes wrong around a model."""
    model_ref = ModelRef("pretend", (), lambda device: PretendEncoders())
    monkeypatch.setattr("analysis.metrics.encoding.encoder.find_model", lambda choice: model_ref)


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
        (audio_only, "it has no picture"),
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


DEMO = ("--model=demo", "--anyway")


def test_a_caption_no_model_reads_to_its_end_has_no_value_and_that_is_said(campaign, capsys):
    campaign.captions["good0"] = "word " * 9_999 + "word"
    values = campaign.incomplete("emscore,clipscore,bleu1,sts", *DEMO)
    told = capsys.readouterr().err
    for model in ("image-text model", "sentence model"):
        assert told.count(f"1 caption is longer than the {model} reads and without a value") == 1
    missing = [key for key, value in values.items() if not value]
    assert missing == [("good0", name) for name in ("emscore", "clipscore", "sts")]


def test_of_one_long_paragraph_every_sentence_is_read(campaign, capsys):
    campaign.captions["good0"] = "a dog runs over a field. " * 40
    values = campaign.score("emscore,clipscore,bleu1,sts", *DEMO, "--paragraphs=sentences")
    assert all(values.values())


def test_a_toy_never_scores_reality(campaign, capsys):
    """Without weights: which metrics need a model, how to get one, and the rest is scored."""
    values = campaign.incomplete("emscore,clip_mean,bleu1")
    told = capsys.readouterr().err
    assert told.count("an image–text model is needed and none is named") == 1
    assert "(emscore, clip_mean)" in told
    assert "--model and --weights" in told
    assert {metric for (_, metric), value in values.items() if value} == {"bleu1"}


def test_the_demo_model_is_refused_for_files_and_nothing_is_written(campaign):
    with pytest.raises(
        CommandError, match="on other videos and captions its scores mean nothing"
    ) as refused:
        campaign.score("emscore,bleu1", "--model=demo")
    assert refused.value.returncode == 2
    assert "--anyway" in str(refused.value)
    assert not (campaign.folder / "scores.csv").exists()
    folder = str(DEMO_MODEL)
    with pytest.raises(CommandError, match="mean nothing"):
        campaign.score("emscore", f"--model={folder}")


def test_whoever_lets_the_demo_model_score_anyway_has_that_in_the_file(campaign, capsys):
    campaign.score("emscore,bleu1", *DEMO)
    about = json.loads((campaign.folder / "scores.csv.json").read_text())
    assert about["notes"] == [DEMO_CAUTION]
    assert DEMO_CAUTION in capsys.readouterr().err


@pytest.mark.published
def test_a_photographed_clip_is_not_judged_by_the_toy(tmp_path, published, capsys):
    """What a newcomer tries first: their own video, and no options."""
    clips = published / "video"
    if not clips.is_dir():
        pytest.skip(f"no published clip at {clips}")
    clip = next(clips.glob("*.mp4"))
    captions = tmp_path / "captions.csv"
    captions.write_text(f"video,system,caption\n{clip.stem},right,a chef cracks an egg\n")
    asked = [
        "score", str(captions), f"--videos={clips}", "--metrics=emscore,clip_image,factvc",
        f"--out={tmp_path / 'scores.csv'}", f"--store={tmp_path / 'store'}",
    ]  # fmt: skip
    with pytest.raises(SystemExit) as incomplete:
        call_command(*asked)
    assert incomplete.value.code == INCOMPLETE
    assert "an image–text model is needed and none is named" in capsys.readouterr().err
    assert all(line.endswith(",") for line in (tmp_path / "scores.csv").read_text().split()[1:])
    (tmp_path / "scores.csv").unlink()
    with pytest.raises(CommandError, match="its scores mean nothing"):
        call_command(*asked, "--model=demo")
    assert not (tmp_path / "scores.csv").exists()


def test_words_need_no_model_and_no_consent(campaign):
    assert all(campaign.score("bleu1", "--model=demo").values())
    about = json.loads((campaign.folder / "scores.csv.json").read_text())
    assert about["notes"] == []


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


def test_a_label_names_the_columns_and_their_signatures(campaign, pretend_model):
    values = campaign.score("emscore,bleu1", "--label=ViT-B-16")
    assert {metric for _, metric in values} == {"emscore@ViT-B-16", "bleu1@ViT-B-16"}
    about = json.loads((campaign.folder / "scores.csv.json").read_text())
    assert about["signatures"]["bleu1@ViT-B-16"].startswith("bleu1|")


def test_a_label_that_cannot_be_a_column_is_refused(campaign):
    with pytest.raises(CommandError, match="without blanks, commas or @"):
        campaign.score("bleu1", "--label=two models")
