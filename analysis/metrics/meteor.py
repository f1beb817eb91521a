"""METEOR 1.5 through its authors' own program, kept running for as long as the worker lives."""

from __future__ import annotations

import importlib.util
import queue
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

from analysis.metrics.batch import Batch, Values
from analysis.metrics.meteor_formula import meteor_scores
from analysis.metrics.registry import Family, MetricUnavailable, Need
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench

# The program loads 60 MB of paraphrases before its first answer: ten seconds, more on a busy day.
_PATIENCE = 300.0
_HOW = (
    "METEOR needs Java and meteor-1.5.jar with its data folder: install a Java runtime (Debian: "
    "default-jre-headless) and the Python package pycocoevalcap, or give the path of the jar"
)


def find_jar() -> Path | None:
    """The jar that comes inside the pycocoevalcap wheel, if that is installed."""
    spec = importlib.util.find_spec("pycocoevalcap")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        jar = Path(folder) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    return None


class Meteor:
    """The running program. Questions go in and answers come out line by line, in order."""

    def __init__(self, jar: Path | None, java: str = "java") -> None:
        if jar is None or not jar.is_file():
            raise MetricUnavailable(_HOW)
        arguments = ["-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(jar.resolve())]
        arguments += ["-", "-", "-stdio", "-l", "en", "-norm"]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the operator's own Java and jar
                [java, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        except OSError as error:
            raise MetricUnavailable(f"{_HOW} ({error})") from error
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._lock = threading.Lock()
        threading.Thread(target=_collect, args=(self._process, self._answers), daemon=True).start()
        self._finalizer = weakref.finalize(self, self._process.kill)

    def score(self, captions: Sequence[str], references: Sequence[Sequence[str]]) -> Values:
        """METEOR of every caption, each against the references of the same place."""
        questions = [
            " ||| ".join(["SCORE", *map(_one_line, texts), _one_line(caption)])
            for caption, texts in zip(captions, references, strict=True)
        ]
        with self._lock:
            return meteor_scores(self._ask(questions))

    def _ask(self, questions: list[str]) -> list[str]:
        # A thread writes while we read: otherwise both pipes fill up and both sides wait.
        writer = threading.Thread(target=self._write, args=(questions,), daemon=True)
        writer.start()
        return [self._answer() for _ in questions]

    def _write(self, questions: list[str]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe above
        try:
            self._process.stdin.writelines(f"{question}\n" for question in questions)
            self._process.stdin.flush()
        except OSError:
            self._process.kill()  # it died: the reader sees the end of its output and says so

    def _answer(self) -> str:
        try:
            answer = self._answers.get(timeout=_PATIENCE)
        except queue.Empty:
            answer = ""
        if not answer:
            self.close()
            raise MetricUnavailable("METEOR's Java program stopped answering")
        return answer

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._finalizer()
        self._process.wait()


def _collect(process: subprocess.Popen[str], answers: queue.SimpleQueue[str]) -> None:
    assert process.stdout is not None  # noqa: S101 - opened as a pipe by the caller
    for line in process.stdout:
        answers.put(line.strip())
    answers.put("")


def _one_line(text: str) -> str:
    """A line break or a separator inside a text would shift all later answers by one."""
    return " ".join(text.replace("|||", " ").split())


def _score(batch: Batch, settings: Settings, bench: Workbench) -> Mapping[str, Values]:
    words = bench.words(batch, settings.tokenize)
    references = [words.references_by_video[video] for video in batch.videos]
    return {"meteor": bench.meteor().score(words.captions, references)}


FAMILIES = (
    Family(
        metrics={"meteor": "aligned words, stems, synonyms and paraphrases; METEOR 1.5, English"},
        paper="Denkowski & Lavie 2014, Meteor universal",
        needs=frozenset({Need.REFERENCES, Need.JAVA}),
        settings=("tokenize",),
        score=_score,
    ),
)
