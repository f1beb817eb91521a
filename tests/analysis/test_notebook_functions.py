"""`from analysis import …`: the numbers of the commands, as pandas tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from django.core.management import call_command

from analysis import analyse, evaluate, read_ratings, score
from analysis.metrics.encoding.models import DemoModelRefused

ROOT = Path(__file__).parents[2]
DATA = ROOT / "docs" / "notebooks" / "data"
FEW = {"draws": 20, "placebo": 20}


@pytest.fixture(scope="module")
def ranking():
    return analyse(DATA / "ratings.csv", draws=20)


@pytest.fixture(scope="module")
def scores():
    return score(
        DATA / "captions.csv", DATA / "references.csv", metrics=["bleu4", "rougel", "cider"]
    )


def python(code: str) -> str:
    """What a new process prints, without any setting of Django's."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_is_cheap_to_import_and_its_functions_need_no_settings():
    assert python("import sys, analysis; print('numpy' in sys.modules)").strip() == "False"
    code = (
        f"import analysis; analysis.analyse({str(DATA / 'ratings.csv')!r}, draws=1); "
        "from django.conf import settings; print(settings.configured)"
    )
    assert python(code).strip() == "False"


def test_it_has_no_other_names():
    import analysis

    with pytest.raises(AttributeError, match="no attribute 'rank'"):
        analysis.rank  # noqa: B018


def test_a_ranking_is_the_command_s(ranking, tmp_path):
    call_command("analyse", DATA / "ratings.csv", out=tmp_path / "command", draws=20)
    ranking.save(tmp_path / "notebook")
    for file in (tmp_path / "command").iterdir():
        assert (tmp_path / "notebook" / file.name).read_bytes() == file.read_bytes()
    for name in ("systems", "captions", "annotators", "significance"):
        told = pd.read_csv(
            tmp_path / "command" / f"{name}.csv", keep_default_na=False, na_values="nan"
        )
        assert list(ranking.to_pandas(name).columns) == list(told.columns)
        assert len(ranking.to_pandas(name)) == len(told)


def test_a_frame_is_as_good_as_a_file(ranking):
    frame = pd.read_csv(DATA / "ratings.csv")
    assert analyse(frame, draws=20).signature == ranking.signature
    assert len(read_ratings(frame).to_pandas()) == len(frame)


def test_scores_are_the_command_s(scores, tmp_path):
    scores.save(tmp_path / "notebook.csv")
    call_command(
        "score", DATA / "captions.csv", references=DATA / "references.csv",
        metrics=["bleu4", "rougel", "cider"], out=tmp_path / "command.csv",
    )  # fmt: skip
    assert (tmp_path / "notebook.csv").read_bytes() == (tmp_path / "command.csv").read_bytes()
    frames = [pd.read_csv(DATA / f"{name}.csv") for name in ("captions", "references")]
    again = score(*frames, metrics=["cider"]).to_pandas()
    pd.testing.assert_series_equal(again["cider"], scores.to_pandas()["cider"])
    assert scores.problems == ()


def test_an_evaluation_is_the_command_s(ranking, scores, tmp_path):
    scores.save(tmp_path / "scores.csv")
    from_files = evaluate(DATA / "ratings.csv", tmp_path / "scores.csv", **FEW)
    from_objects = evaluate(ranking, scores, **FEW)
    found = from_files.to_pandas()
    pd.testing.assert_frame_equal(found, from_objects.to_pandas())
    from_files.save(tmp_path / "notebook")
    call_command(
        "correlate", human=DATA / "ratings.csv", metrics=[tmp_path / "scores.csv"],
        out=tmp_path / "command", **FEW,
    )  # fmt: skip
    told = (tmp_path / "command" / "correlations.csv").read_bytes()
    assert (tmp_path / "notebook" / "correlations.csv").read_bytes() == told
    assert {"z", "raw"} == set(found["human"])
    assert not from_files.to_pandas("williams").empty


def test_what_makes_no_sense_is_refused(ranking, scores):
    with pytest.raises(ValueError, match="systems"):
        ranking.to_pandas("ranking")
    with pytest.raises(ValueError, match="correlations"):
        evaluate(ranking, scores, **FEW).to_pandas("nothing")
    with pytest.raises(ValueError, match="'system'"):
        score(pd.DataFrame({"video": ["a"], "caption": ["a dog"]}), metrics=["bleu4"])
    with pytest.raises(DemoModelRefused, match="anyway=True"):
        score(DATA / "captions.csv", metrics=["emscore"], model="demo")
