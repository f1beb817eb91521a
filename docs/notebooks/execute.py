"""Run the notebooks and keep what they show: `python -m docs.notebooks.execute`."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of a run just now, in its own folder."""
    notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, kernel_name="python3", resources={"metadata": {"path": str(HERE)}}
    )
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT)})  # an installed platform needs none
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran, which is news in every diff
    return notebook


def main() -> None:
    for path in sorted(HERE.glob("*.ipynb")):
        nbformat.write(executed(path), path)


if __name__ == "__main__":
    main()
