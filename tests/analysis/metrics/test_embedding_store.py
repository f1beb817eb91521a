"""The store of embeddings: content-addressed, atomic, shared by several workers."""

from __future__ import annotations

import errno
import mmap
import os
import subprocess
import sys

import numpy as np
import pytest

from analysis.metrics.encoding.embeddings import Embedding, Space, key_of, prune


def embedding(seed: int, rows: int = 3) -> Embedding:
    rng = np.random.default_rng(seed)
    return Embedding(
        rng.standard_normal((rows, 8)).astype(np.float32), np.arange(rows, dtype=np.int32) + seed
    )


def keys(*names: str) -> list[str]:
    return [key_of(name) for name in names]


@pytest.fixture
def space(tmp_path) -> Space:
    return Space(tmp_path / "texts-model")


def test_what_was_put_is_read_back_exactly(space):
    a, b = keys("a", "b")
    space.put({a: embedding(1, rows=3), b: embedding(2, rows=5)})
    again = Space(space.folder)
    np.testing.assert_array_equal(again[a].vectors, embedding(1, rows=3).vectors)
    np.testing.assert_array_equal(again[b].vectors, embedding(2, rows=5).vectors)
    np.testing.assert_array_equal(again[b].marks, embedding(2, rows=5).marks)


def test_vectors_stay_on_disk_until_they_are_looked_at(space):
    [a] = keys("a")
    space.put({a: embedding(1)})
    vectors = Space(space.folder)[a].vectors
    while isinstance(vectors.base, np.ndarray):
        vectors = vectors.base
    assert isinstance(vectors, np.memmap) or isinstance(vectors.base, mmap.mmap)


def test_only_the_unknown_is_missing_and_each_once(space):
    a, b = keys("a", "b")
    space.put({a: embedding(1)})
    assert space.missing([b, a, b]) == [b]


def test_one_worker_finds_what_another_has_written(space):
    other = Space(space.folder)
    [a] = keys("a")
    other.put({a: embedding(1)})
    assert a not in space
    assert space.missing([a]) == []
    assert a in space


def test_half_precision_is_read_back_as_it_was_rounded(tmp_path):
    space = Space(tmp_path / "texts-model", "float16")
    [a] = keys("a")
    space.put({a: embedding(1)})
    expected = embedding(1).vectors.astype(np.float16)
    np.testing.assert_array_equal(space[a].vectors, expected)
    np.testing.assert_array_equal(Space(space.folder, "float16")[a].vectors, expected)


def test_the_same_entries_make_the_same_files(tmp_path):
    entries = {key: embedding(n) for n, key in enumerate(keys("a", "b"))}
    first, second = Space(tmp_path / "one"), Space(tmp_path / "two")
    first.put(entries)
    second.put(dict(reversed(entries.items())))
    names = [{path.name for path in space.folder.iterdir()} for space in (first, second)]
    assert names[0] == names[1]


def test_a_shard_without_its_index_does_not_exist(space):
    """What a worker leaves that is killed between the two files."""
    [a] = keys("a")
    space.put({a: embedding(1)})
    next(space.folder.glob("*.index.npz")).unlink()
    survivor = Space(space.folder)
    assert survivor.missing([a]) == [a]
    survivor.put({a: embedding(1)})
    np.testing.assert_array_equal(Space(space.folder)[a].vectors, embedding(1).vectors)


def test_on_a_full_disk_the_run_goes_on_in_memory(space, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    [a] = keys("a")
    space.put({a: embedding(1)})
    assert "No space left on device" in space.fault
    np.testing.assert_array_equal(space[a].vectors, embedding(1).vectors)
    assert list(space.folder.iterdir()) == []  # nothing half-written is left


def test_several_processes_may_write_at_once(tmp_path):
    code = (
        "import sys; from pathlib import Path; import numpy as np;"
        "from analysis.metrics.encoding.embeddings import *;"
        "space = Space(Path(sys.argv[1]));"
        "e = lambda n: Embedding(np.full((2, 4), n, np.float32), np.zeros(2, np.int32));"
        "[space.put({key_of(str(n)): e(n), key_of(str(n + 1)): e(n + 1)}) for n in range(30)]"
    )
    folder = tmp_path / "texts-model"
    workers = [subprocess.Popen([sys.executable, "-c", code, str(folder)]) for _ in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    space = Space(folder)
    assert all((space[key_of(str(n))].vectors == n).all() for n in range(31))
    assert not list(folder.glob("*.part"))


def test_pruning_deletes_other_models_of_the_same_kind_only(tmp_path):
    for name in ("texts-old", "texts-new", "frames-old", "sentences-old"):
        Space(tmp_path / name).put({key_of("a"): embedding(1)})
    freed = prune(tmp_path, {"texts-new", "frames-new"}, before=0)
    assert freed > 0
    assert {path.name for path in tmp_path.iterdir()} == {"texts-new", "sentences-old"}


def test_pruning_takes_away_what_was_never_finished(tmp_path):
    space = Space(tmp_path / "texts-new")
    space.put({key_of("a"): embedding(1)})
    part = space.folder / "x.part"
    part.write_bytes(b"12345")
    os.utime(part, (100, 100))
    young = space.folder / "y.part"
    young.touch()
    assert prune(tmp_path, {"texts-new"}, before=200) == 5
    assert not part.exists()
    assert young.exists()
    assert key_of("a") in Space(space.folder)


def test_an_unknown_precision_is_refused(tmp_path):
    with pytest.raises(ValueError, match="dtype must be float32 or float16"):
        Space(tmp_path, "float8")


def test_keys_depend_on_where_one_part_ends():
    assert key_of("ab", "c") != key_of("a", "bc")
