"""The example notebooks run, and show what they show in the docs."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from docs.notebooks.execute import HERE, executed

NOTEBOOKS = sorted(HERE.glob("*.ipynb"))


def shown(notebook: nbformat.NotebookNode) -> list[str]:
    """Every output of a cell as text; warnings and prints included."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output.get("data", output).get("text/plain", str(output)) for output in outputs]


def test_there_is_one_for_each_kind_of_user():
    assert [path.stem for path in NOTEBOOKS] == ["analyst", "metrics", "organiser"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_shows_what_is_kept(path: Path):
    kept = shown(nbformat.read(path, as_version=4))
    assert len(kept) > 3
    assert shown(executed(path)) == kept
