"""Trained metrics: a folder or a file, by its kind a metric like any other."""

from __future__ import annotations

import csv
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.metrics.artifacts import CONFIG, learn, read_artifact, write_artifact
from analysis.metrics.batch import Batch
from analysis.metrics.config import MetricConfig
from analysis.metrics.context import ScoringContext
from analysis.metrics.families import rouge
from analysis.metrics.families.fusion import fusion_json
from analysis.metrics.families.learned import mean_over_references
from analysis.metrics.registry import Family, MetricUnavailable, Need, metric_names, needs_of
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from analysis.stats.fusion import Fusion

MIX = Fusion((0.0, 0.0), (1.0, 1.0), (2.0, 3.0), 1.0, 1.0, 0.0, 9)
ABOUT = {"summary": "so many letters", "paper": "Nobody 2026", "trained": "on nothing|seed:7"}
BATCH = Batch(["a dog", "a cat sits"], ["v", "w"], {"v": ["a dog"]}, {"v": ["a dog"]})


def letters(artifact):
    """The toy kind: as many letters as the weights say are one."""

    def _score(batch, settings, context):
        unit = float(artifact.path("weights.txt").read_text())
        return {artifact.name: np.array([len(text) / unit for text in batch.captions])}

    return Family(
        metrics={artifact.name: artifact.summary},
        paper=artifact.paper,
        needs=frozenset(),
        settings=(),
        score=_score,
        data=lambda: artifact.signature,
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What a training of the toy kind leaves behind."""
    monkeypatch.setattr(rouge, "ARTIFACTS", {"letters": letters}, raising=False)
    made = tmp_path / "letters-2"
    made.mkdir()
    (made / "weights.txt").write_text("2")
    options = {"unit": "letters"}
    write_artifact(
        made, kind="letters", name="letters", card="# So many\n", options=options, **ABOUT
    )
    return made


def test_a_folder_is_a_metric_with_a_signature(folder):
    artifact = learn(folder)
    scores = score(BATCH, ["letters"], Settings(), ScoringContext())
    assert scores.values["letters"].tolist() == [2.5, 5.0]
    assert scores.signatures["letters"] == f"letters|{artifact.signature}|version:1"
    assert metric_names()[-1] == "letters"
    assert (folder / "README.md").read_text() == "# So many\n"


def test_other_weights_have_another_signature_and_the_same_ones_the_same(folder):
    first = read_artifact(folder)
    write_artifact(
        folder, kind="letters", name="letters", card="", options={"unit": "letters"}, **ABOUT
    )
    assert read_artifact(folder).signature == first.signature  # the card decides no number
    (folder / "weights.txt").write_text("3")
    write_artifact(
        folder, kind="letters", name="letters", card="", options={"unit": "letters"}, **ABOUT
    )
    assert read_artifact(folder).signature != first.signature


def test_weights_that_changed_behind_its_back_are_not_used(folder):
    learn(folder)
    (folder / "weights.txt").write_text("4")
    scores = score(BATCH, ["letters", "bleu1"], Settings(), ScoringContext())
    assert np.isnan(scores.values["letters"]).all()
    assert np.isfinite(scores.values["bleu1"][0])
    assert "is not the file that was written" in str(scores.faults[0])
    (folder / "weights.txt").unlink()
    with pytest.raises(MetricUnavailable, match=r"lacks weights\.txt"):
        read_artifact(folder).path("weights.txt")


def test_training_anew_under_the_same_name_replaces_it(folder):
    learn(folder)
    learn(folder)
    assert metric_names().count("letters") == 1


def test_the_name_of_a_metric_of_the_platform_is_refused(folder):
    write_artifact(folder, kind="letters", name="cider", card="", options={}, **ABOUT)
    with pytest.raises(ValueError, match="a metric 'cider' already exists"):
        learn(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "does not describe a trained metric"),
        ("[]", "does not describe a trained metric"),
        ('{"format": "x"}', "format is not"),
        (json.dumps({"format": "learned-metric-1", "kind": "oracle", "name": "o", "options": {},
                     "files": {}, **ABOUT}), "no kind of metric 'oracle'"),
        (json.dumps({"format": "learned-metric-1", "kind": "fusion", "name": "o", "options": {},
                     "files": {}, **ABOUT}), "not a fusion of metrics"),
    ],
)  # fmt: skip
def test_what_is_no_trained_metric_is_refused(tmp_path, content, message):
    (tmp_path / CONFIG).write_text(content)
    with pytest.raises(ValueError, match=message):
        learn(tmp_path)


def test_a_folder_without_a_configuration_is_refused_with_a_way_out(tmp_path):
    with pytest.raises(ValueError, match="as training wrote it"):
        learn(tmp_path)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "c.csv").write_text("video,system,caption\n1,A,a dog runs\n2,A,a red cat\n")
    (tmp_path / "r.csv").write_text("video,source,caption\n1,h,a dog runs\n2,h,the cat sits\n")
    (tmp_path / "mix.json").write_bytes(fusion_json(MIX, ("bleu1", "rougel"), "z", "s"))
    return tmp_path


def scored(files, *options):
    call_command(
        "score", str(files / "c.csv"), "--references", str(files / "r.csv"),
        "--out", str(files / "s.csv"), *map(str, options), stderr=StringIO(),
    )  # fmt: skip
    with (files / "s.csv").open() as file:
        return {(row["video"], row["metric"]): float(row["value"]) for row in csv.DictReader(file)}


def test_score_takes_a_folder(files, folder):
    found = scored(files, "--learned", folder)
    assert found == {("1", "letters"): 5.0, ("2", "letters"): 4.5}


def test_a_fusion_is_computed_with_what_it_is_mixed_of(files):
    apart = scored(files, "--metrics", "bleu1,rougel")
    found = scored(files, "--learned", files / "mix.json")
    assert set(found) == {("1", "fusion"), ("2", "fusion")}
    for video in "12":
        mixed = 1 + 2 * apart[video, "bleu1"] + 3 * apart[video, "rougel"]
        assert found[video, "fusion"] == pytest.approx(mixed)


def test_a_fusion_needs_what_its_metrics_need(files):
    (files / "mix.json").write_bytes(fusion_json(MIX, ("emscore", "sts"), "z", "s"))
    learn(files / "mix.json")
    assert needs_of(["fusion"]) == {
        Need.VIDEO, "image_text", Need.REFERENCES, "sentence"
    }  # fmt: skip


def test_score_refuses_a_fusion_of_columns_it_cannot_compute(files):
    (files / "mix.json").write_bytes(fusion_json(MIX, ("bleu1", "emscore@B-16"), "z", "s"))
    with pytest.raises(CommandError, match="computed from emscore@B-16") as refused:
        scored(files, "--learned", files / "mix.json")
    assert refused.value.returncode == 2


def test_score_needs_a_metric(files):
    with pytest.raises(CommandError, match="--metrics or --learned") as refused:
        scored(files)
    assert refused.value.returncode == 2


def test_a_fusion_has_no_value_where_a_metric_read_the_caption_in_part(files):
    """The sentence model reads so many tokens: what it has not read it has not judged."""
    (files / "mix.json").write_bytes(fusion_json(MIX, ("bleu1", "sts"), "z", "s"))
    learn(files / "mix.json")
    references = {"v": ["a dog"], "w": ["a cat sits"]}
    batch = Batch(["a dog", "word " * 400], ["v", "w"], references, references)
    context = MetricConfig(store=files / "store").context()
    embed(embeddable(batch, ["fusion"], Settings()), Settings(), context)
    scores = score(batch, ["fusion"], Settings(), context)
    assert np.isnan(scores.values["fusion"]).tolist() == [False, True]
    assert "longer than the sentence model reads" in str(scores.faults[0])


def test_one_by_one_every_reference_counts_alike():
    """Videos may have one reference or several."""
    told = {"v": ["a", "abc"], "w": ["ab"]}
    batch = Batch(["x", "yy", "zzz"], ["v", "w", "v"], told, told)

    def predict(part):
        assert all(len(part.references[video]) == 1 for video in part.videos)
        pairs = zip(part.captions, part.videos, strict=True)
        return np.array([10 * len(text) + len(part.references[v][0]) for text, v in pairs])

    assert mean_over_references(batch, predict).tolist() == [12, 22, 32]
