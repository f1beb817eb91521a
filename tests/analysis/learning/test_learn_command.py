"""`manage.py learn`: from rated captions in files to a metric that scores, whole or not at all."""

from __future__ import annotations

import csv
import hashlib
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.learning import fine_tuning
from analysis.metrics.artifacts import CONFIG, read_artifact
from tests.analysis.learning.small_world import as_option, make_set


def learn(kind, sets, equipment, out, *more):
    printed = StringIO()
    chosen = [part for folder in sets for part in ("--set", as_option(folder))]
    call_command(
        "learn", kind, *chosen, "--out", str(out), *equipment, *more,
        stdout=printed, stderr=StringIO(),
    )  # fmt: skip
    return printed.getvalue()


def bytes_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def scores(sets, equipment, out, metric, model) -> dict[tuple[str, str], float]:
    call_command(
        "score", str(sets / "captions.csv"), "--references", str(sets / "references.csv"),
        "--learned", str(model), "--metrics", metric, "--out", str(out), *equipment,
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    with out.open() as file:
        return {(row["video"], row["system"]): float(row["value"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("kind", ["head", "bertha"])
def test_it_learns_a_metric_that_scores_captions_it_has_not_seen(kind, sets, equipment, tmp_path):
    learn(kind, sets[:2], equipment, tmp_path / "model")
    found = scores(sets[2], equipment, tmp_path / "scores.csv", kind, tmp_path / "model")
    with (sets[2] / "human.csv").open() as file:
        people = {
            (row["video"], row["system"]): float(row["score"]) for row in csv.DictReader(file)
        }
    import numpy as np

    r = np.corrcoef([found[key] for key in people], list(people.values()))[0, 1]
    assert r > 0.6
    told = json.loads((tmp_path / "scores.csv.json").read_text())["signatures"][kind]
    assert read_artifact(tmp_path / "model").fingerprint in told


@pytest.mark.parametrize("kind", ["head", "bertha"])
def test_the_same_data_and_seed_give_the_same_bytes(kind, sets, equipment, tmp_path):
    for name in ("first", "second"):
        learn(kind, sets[:2], equipment, tmp_path / name)
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_a_training_killed_in_the_middle_goes_on_and_ends_with_the_same_bytes(
    sets, equipment, tmp_path, monkeypatch
):
    monkeypatch.setattr(fine_tuning.Tuning, "__init__", _often(fine_tuning.Tuning.__init__))
    learn("bertha", sets[:2], equipment, tmp_path / "whole")
    learned = fine_tuning.FineTuning._learn
    steps = []

    def killed(self, batch):
        steps.append(self.step)
        if self.step == 7 and len(steps) < 9:
            raise KeyboardInterrupt
        return learned(self, batch)

    monkeypatch.setattr(fine_tuning.FineTuning, "_learn", killed)
    with pytest.raises(KeyboardInterrupt):
        learn("bertha", sets[:2], equipment, tmp_path / "halves")
    assert not (tmp_path / "halves").exists()
    learn("bertha", sets[:2], equipment, tmp_path / "halves")
    assert steps[:10] == [0, 1, 2, 3, 4, 5, 6, 7, 6, 7]
    assert bytes_of(tmp_path / "whole") == bytes_of(tmp_path / "halves")
    assert not list(tmp_path.glob(".*"))


def _often(made):
    def with_checkpoints(self, *args, **options):
        made(self, *args, **{**options, "keep_every": 3})

    return with_checkpoints


def test_a_disk_that_fills_leaves_nothing_that_is_used(sets, equipment, tmp_path, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("analysis.learning.folder.write_artifact", full)
    with pytest.raises(CommandError, match="No space left") as refused:
        learn("head", sets[:2], equipment, tmp_path / "model")
    assert refused.value.returncode == 2
    assert not list(tmp_path.iterdir())


def test_the_table_holds_every_metric_against_sets_left_out(sets, equipment, tmp_path):
    printed = learn("head", sets, equipment, tmp_path / "table", "--leave-one-out")
    assert "sts" in printed
    with (tmp_path / "table" / "sets.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert {row["set"] for row in rows} == {"one", "two", "three", "mean"}
    learned = [float(row["pearson"]) for row in rows if row["metric"] == "head"]
    assert min(learned) > 0.6
    assert {"cider", "meteor", "bertscore_f", "chrf"} <= {row["metric"] for row in rows}
    with (tmp_path / "table" / "recipes.csv").open() as file:
        tried = list(csv.DictReader(line for line in file if not line.startswith("#")))
    chosen = [row["set"] for row in tried if row["chosen"] == "true"]
    assert sorted(chosen) == ["one", "three", "two"]


def test_a_table_is_held_against_earlier_ones_on_the_same_captions(sets, equipment, tmp_path):
    learn("fusion", sets, equipment, tmp_path / "fusion", "--leave-one-out")
    beside = ("--leave-one-out", "--beside", str(tmp_path / "fusion"))
    printed = learn("head", sets, equipment, tmp_path / "head", *beside)
    assert "fusion" in printed

    def row(table, **wanted):
        with (tmp_path / table / "sets.csv").open() as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            [found] = [one for one in rows if wanted.items() <= one.items()]
        return found

    wanted = {"set": "one", "level": "caption", "metric": "fusion"}
    assert row("head", **wanted)["pearson"] == row("fusion", **wanted)["pearson"]
    assert 0 < float(row("head", **wanted)["p_williams"]) < 1
    with pytest.raises(CommandError, match="another --name"):
        learn("fusion", sets, equipment, tmp_path / "again", *beside)
    more = ("--leave-one-out", "--beside", str(sets[0]))
    with pytest.raises(CommandError, match="no leave-one-out table"):
        learn("fusion", sets, equipment, tmp_path / "again", *more)


def test_an_earlier_table_of_other_captions_is_refused(sets, equipment, tmp_path):
    learn("fusion", sets[:2], equipment, tmp_path / "fusion", "--leave-one-out")
    beside = ("--leave-one-out", "--beside", str(tmp_path / "fusion"))
    with pytest.raises(CommandError, match="make it from the same sets"):
        learn("head", sets, equipment, tmp_path / "head", *beside)
    assert not (tmp_path / "head").exists()


def test_fine_tuning_counts_a_caption_by_its_ratings(sets):
    from dataclasses import replace

    import numpy as np

    from analysis.evaluation.set_inputs import Source
    from analysis.learning.rated import read_rated
    from analysis.metrics.learned.features import NUMBERS, Features

    rated = read_rated(Source.parse(as_option(sets[0])), score="score", weight=0.25)
    none = np.zeros((len(rated), 2), dtype=np.float32)
    rated = replace(rated, features=Features(np.zeros((len(rated), len(NUMBERS))), *[none] * 3))
    assert {one.weight for one in fine_tuning._of_set(rated)} == {0.25}
    counted = replace(rated, people=np.arange(len(rated)) % 3 + 1.0)
    weights = [one.weight for one in fine_tuning._of_set(counted)]
    assert weights[:3] == pytest.approx([1 / 5, 2 / 6, 3 / 7])


@pytest.fixture
def both(sets, tmp_path) -> Path:
    """A set of which half is in the first of the others."""
    folder = make_set(tmp_path / "both", 3)
    for name in ("captions.csv", "references.csv", "human.csv"):
        lines = (sets[0] / name).read_text().splitlines()[1:]
        with (folder / name).open("a") as file:
            file.write("\n".join(lines) + "\n")
    return folder


def correlated(folder, out, *more) -> set[str]:
    """How many captions each metric was held against."""
    call_command(
        "correlate", "--human", str(folder / "human.csv"), "--out", str(out), *map(str, more),
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    with (out / "correlations.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {row["n"] for row in rows if row["level"] == "caption"}


def texts_of(folder) -> list[str]:
    names = ("captions", "references")
    return [part for name in names for part in (f"--{name}", str(folder / f"{name}.csv"))]


@pytest.mark.parametrize("kind", ["head", "fusion"])
def test_correlate_leaves_out_what_a_metric_was_trained_on(kind, sets, both, equipment, tmp_path):
    learn(kind, sets[:1], equipment, tmp_path / "model")
    mixed = read_artifact(tmp_path / "model").options.get("metrics", ["rougel"])
    more = ["--compute", ",".join(mixed), "--learned", tmp_path / "model", *equipment]
    assert correlated(both, tmp_path / "out", *texts_of(both), *more) == {"240"}
    told = (tmp_path / "out" / "report.json").read_text()
    assert f"240 captions have a text or a video that {kind} was trained on" in told


def test_scores_of_a_file_say_what_their_metric_was_trained_on(sets, both, equipment, tmp_path):
    learn("fusion", sets[:1], equipment, tmp_path / "model")
    scores(both, equipment, tmp_path / "scores.csv", "rougel", tmp_path / "model")
    file = ["--metrics", tmp_path / "scores.csv"]
    assert correlated(both, tmp_path / "out", *texts_of(both), *file) == {"240"}
    with pytest.raises(CommandError, match="it is not known which"):
        correlated(both, tmp_path / "out", *file)
    assert correlated(both, tmp_path / "other", *file, "--only", "rougel") == {"480"}


def test_a_learned_metric_that_would_not_be_computed_is_refused(sets, both, equipment, tmp_path):
    learn("head", sets[:1], equipment, tmp_path / "model")
    (tmp_path / "scores.csv").write_text("video,system,metric,value\n1,good,x,1\n")
    more = ["--metrics", tmp_path / "scores.csv", "--learned", tmp_path / "model", *equipment]
    with pytest.raises(CommandError, match="computed from captions"):
        correlated(both, tmp_path / "out", *more)


def test_a_model_that_learned_from_captions_says_which(tmp_path):
    from analysis.metrics.batch import Batch
    from analysis.metrics.learned.training_list import TRAINING, TrainingList, trained_on

    own = TrainingList.of([Batch(["a dog"], ["1"], {"1": ["the dog"]}, {})])
    (tmp_path / TRAINING).write_bytes(own.write())
    assert trained_on(["clip_mean", "rougel"], str(tmp_path)) == {"clip_mean": own}
    assert trained_on(["clip_mean"], "ViT-B-32") == {}


def test_an_earlier_metric_outlives_a_kill_while_it_is_replaced(sets, equipment, tmp_path):
    from analysis.learning.folder import refuse_taken, whole_folder

    learn("fusion", sets[:1], equipment, tmp_path / "model")
    before = bytes_of(tmp_path / "model")
    (tmp_path / "model").rename(tmp_path / ".model.old")  # where a kill between two renames left it
    (tmp_path / ".model.part").mkdir()
    (tmp_path / ".model.part" / "half").write_text("of it")
    refuse_taken(tmp_path / "model")
    assert bytes_of(tmp_path / "model") == before
    with whole_folder(tmp_path / "model") as part:
        assert not list(part.iterdir())
        (part / CONFIG).write_text("{}")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_bertha_starts_from_a_head_that_sees_embeddings_and_hears_stop_early(
    sets, equipment, tiny_model, tmp_path
):
    from analysis.evaluation.set_inputs import Source
    from analysis.learning.bertha import Bertha
    from analysis.learning.rated import read_rated
    from analysis.learning.training import with_features
    from analysis.metrics.config import MetricConfig

    class Stopped(Exception):
        pass

    def stop(what, done, total):
        heard.append(what)
        if done:
            raise Stopped

    heard: list[str] = []
    context = MetricConfig(Path(equipment[3]), paths=(("sentence", tiny_model),)).context()
    rated = [read_rated(Source.parse(as_option(one)), score="score") for one in sets[:2]]
    rated = with_features(rated, context)
    tuning = fine_tuning.Tuning(epochs=1, layers=1)
    with pytest.raises(Stopped):
        Bertha(tiny_model, tuning, 1, tmp_path / "b", progress=stop).learn(rated)
    assert heard
    start = Bertha(tiny_model, tuning, 1, tmp_path / "b")._start(rated)
    assert all(head.recipe.blocks for head in start.heads.heads)
    assert "numbers" not in {trial.recipe for trial in start.tried}


def test_a_cross_encoder_learns_and_scores_and_needs_no_other_metric(sets, equipment, tmp_path):
    printed = learn("bertha", sets[:2], equipment, tmp_path / "m", "--pairs", "--epochs", "2")
    assert "in one sequence" in printed
    found = scores(sets[2], equipment, tmp_path / "scores.csv", "rougel", tmp_path / "m")
    assert len(found) == 240
    assert read_artifact(tmp_path / "m").kind == "bertha_pairs"


@pytest.mark.parametrize("kind", ["head", "bertha", "bertha --pairs", "fusion"])
def test_it_goes_through_robustness_and_fusion_like_any_other(kind, sets, equipment, tmp_path):
    kind, *how = kind.split()
    learn(kind, sets[:1], equipment, tmp_path / "model", *how)
    call_command(
        "correlate", "--human", str(sets[1] / "human.csv"),
        "--captions", str(sets[1] / "captions.csv"),
        "--references", str(sets[1] / "references.csv"), "--compute", "rougel,sts",
        "--learned", str(tmp_path / "model"), "--robustness", "shuffle,drift",
        "--out", str(tmp_path / "out"), *equipment, stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip

    def metrics_of(name):
        with (tmp_path / "out" / name).open() as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            return {row["metric"] for row in rows}

    assert kind in metrics_of("fusion.csv")
    assert kind in metrics_of("robustness.csv")


@pytest.mark.parametrize("kind", ["head", "bertha", "fusion"])
def test_its_card_has_every_text_metric_beside_it(kind, sets, equipment, tmp_path):
    printed = learn(kind, sets[:2], equipment, tmp_path / "model")
    for metric in ("learned", "sts", "cider", "meteor", "bertscore_f"):
        assert f"| {metric} |" in printed


@pytest.mark.parametrize(
    ("kind", "parts"),
    [("head", {"one", "two"}), ("bertha", {"stopping"}), ("fusion", {"reported"})],
)
def test_the_folder_names_the_videos_that_were_held_out(kind, parts, sets, equipment, tmp_path):
    learn(kind, sets[:2], equipment, tmp_path / "model")
    found = json.loads((tmp_path / "model" / "split.json").read_text())
    assert found.keys() == parts
    for held in found.values():
        for name, videos in held.items():
            assert videos
            assert all(video.startswith(f"{name}-") for video in videos)


def test_only_the_last_layers_learn(tiny_model):
    from analysis.metrics.learned.head import Head, Recipe

    model = fine_tuning.Siamese(tiny_model, Head(3, 16, Recipe(hidden=4, members=1)), layers=1)
    named = model.backbone.named_parameters()
    learning = [name for name, parameter in named if parameter.requires_grad]
    assert learning
    assert all("encoder.layer.1." in name for name in learning)


class TestBadInput:
    """Each is said in a sentence, and nothing is written."""

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"videos": 40}, "are needed to learn from"),
            ({"systems": {"good": 0.1}, "videos": 240}, "one system"),
            ({"score": lambda wrong, rng: 50}, "same score"),
        ],
    )
    def test_ratings_that_teach_nothing_are_refused(self, changes, told, equipment, tmp_path):
        folder = make_set(tmp_path / "bad", 1, **changes)
        with pytest.raises(CommandError, match=told) as refused:
            learn("head", [folder], equipment, tmp_path / "model")
        assert refused.value.returncode == 2
        assert [path.name for path in tmp_path.iterdir()] == ["bad"]

    def test_captions_without_references_are_refused(self, equipment, tmp_path):
        folder = make_set(tmp_path / "bad", 1)
        (folder / "references.csv").write_text("video,source,caption\nother,A,a dog runs\n")
        with pytest.raises(CommandError, match="reference") as refused:
            learn("head", [folder], equipment, tmp_path / "model")
        assert refused.value.returncode == 2

    def test_a_backbone_without_weights_is_refused(self, sets, equipment, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "empty" / "config.json").write_text("{}")
        with pytest.raises(CommandError, match="weights") as refused:
            learn(
                "bertha", sets[:2], equipment, tmp_path / "m", "--backbone", str(tmp_path / "empty")
            )
        assert refused.value.returncode == 2

    def test_a_pickle_of_weights_is_never_opened(self, sets, equipment, tmp_path):
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / "config.json").write_text("{}")
        (tmp_path / "old" / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
        with pytest.raises(CommandError, match="safetensors") as refused:
            learn(
                "bertha", sets[:2], equipment, tmp_path / "m", "--backbone", str(tmp_path / "old")
            )
        assert refused.value.returncode == 2

    def test_a_folder_of_something_else_is_not_written_over(self, sets, equipment, tmp_path):
        (tmp_path / "thesis").mkdir()
        (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
        with pytest.raises(CommandError, match="not a trained metric"):
            learn("head", sets[:2], equipment, tmp_path / "thesis")
        assert (tmp_path / "thesis" / "chapter.tex").read_text() == "years of work"

    def test_one_set_cannot_be_left_out(self, sets, equipment, tmp_path):
        with pytest.raises(CommandError, match="two names"):
            learn("head", sets[:1], equipment, tmp_path / "table", "--leave-one-out")


def test_a_metric_trained_again_takes_the_place_of_the_old_one(sets, equipment, tmp_path):
    learn("head", sets[:1], equipment, tmp_path / "model")
    before = (tmp_path / "model" / CONFIG).read_bytes()
    learn("head", sets[:2], equipment, tmp_path / "model")
    assert (tmp_path / "model" / CONFIG).read_bytes() != before
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
