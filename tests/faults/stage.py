"""The platform as it runs for real, on loopback: PostgreSQL, gunicorn, people who rate.

Its parts can be killed and started again while people work. People do what the rating page does:
a rating is sent again, under the same key, until the site has said that it is saved.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, ClassVar

import psycopg2

from rehearsal.people.rating_client import RatingClient, Refused
from tests.annotations.person import body
from tests.faults.forked import ran
from tests.services import (
    MIGRATED,
    free_port,
    migrated_cluster,
    postgres_cluster,
    server_user,
    wait_for,
    wait_for_postgres,
)

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240


class Part:
    """A program that can be started, killed and started again."""

    def __init__(self, command: list[str], port: int, **options: Any) -> None:
        self.command, self.port, self.options = command, port, options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, start_new_session=True, **self.options)
        wait_for(self.port, self.process, PATIENCE)

    def children(self) -> list[int]:
        found = subprocess.run(
            ["ps", "--ppid", str(self.process.pid), "-o", "pid="], capture_output=True, check=False
        )
        return [int(pid) for pid in found.stdout.split()]

    def kill(self, how: signal.Signals = signal.SIGKILL, *, group: bool = True) -> None:
        """End it as suddenly as asked, with all its processes unless told otherwise."""
        if self.process is None or self.process.poll() is not None:
            return
        if group:
            os.killpg(self.process.pid, how)
        else:
            self.process.send_signal(how)
        self.process.wait(PATIENCE)


class Stage:
    """One site with its own database in its own folder."""

    def __init__(self, folder: str, also: str = "") -> None:
        """With a database that answers at one more address, and everybody in its network."""
        base, web = free_port(), free_port()
        self.folder = Path(folder)
        self.inside: list[str] = []  # what commands begin with to run on another machine
        self.url = f"http://127.0.0.1:{web}"
        self.dsn = f"postgres://da@127.0.0.1:{base}/{MIGRATED}"
        self.environment = os.environ | {
            "DATABASE_URL": self.dsn,
            "DATA_DIR": f"{folder}/data",
            "SECRET_KEY": "for-this-stage-only",
            "PUBLIC_URL": self.url,
            "HTTPS": "false",
            "LOG_LEVEL": "CRITICAL",
            "DJANGO_SETTINGS_MODULE": "daplatform.settings",
        }
        cluster = tempfile.mkdtemp(prefix="postgres-", dir=folder)
        os.chmod(folder, 0o755)  # PostgreSQL runs as somebody else
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = postgres_cluster(cluster, base, durable=True, like=migrated())
        if also:
            command += ["-c", f"listen_addresses=127.0.0.1,{also}"]
            with open(f"{cluster}/data/pg_hba.conf", "a") as rules:
                rules.write(f"host all all {also} 255.255.255.0 trust\n")
        self.base = Part(command, base, user=server_user(), **quiet)
        gunicorn = [sys.executable, "-m", "gunicorn", "daplatform.wsgi", "--workers", "2"]
        gunicorn += ["--threads", "4", "--bind", f"127.0.0.1:{web}", "--timeout", "30"]
        gunicorn += ["--config", "python:tests.faults.serving"]
        self.web = Part(gunicorn, web, env=self.environment, cwd=ROOT, **quiet)

    def run(self, *command: str) -> str:
        """A program of the platform's, which must succeed; what it printed."""
        return self._ran(command, 0)

    def fail(self, *command: str) -> str:
        """The same, which must fail."""
        return self._ran(command, 1)

    def _ran(self, command: Sequence[str], code: int) -> str:
        if command[0] == "manage.py":
            command = [*command, "--skip-checks"]  # of the code, which is the same each time
        if self.inside:
            done = subprocess.run(
                [*self.inside, sys.executable, *command],
                cwd=ROOT,
                env=self.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            found, said, errors = done.returncode, done.stdout, done.stderr
        else:
            found, said, errors = ran(command, self.environment, ROOT)
        assert found == code, said + errors
        return said

    def serve(self, **variables: str) -> None:
        """The web server, anew where it ran, with these in its environment; when it answers."""
        self.environment |= variables
        self.web.kill()
        self.web.options["env"] = self.environment
        self.web.start()
        deadline = time.monotonic() + PATIENCE
        while not self.answers():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def answers(self) -> bool:
        wire = HTTPConnection("127.0.0.1", self.web.port, timeout=PATIENCE)
        with contextlib.closing(wire), contextlib.suppress(OSError, HTTPException):
            wire.request("GET", "/readyz")
            return wire.getresponse().status == 200
        return False

    def links(self, people: int, protocol: str = "direct") -> list[str]:
        """A campaign with as many assignments, and everybody's link to one of them."""
        return json.loads(self.run("-m", "tests.faults.campaign", str(people), protocol))

    def start_database(self) -> None:
        """Its port answers while it recovers, and refuses everybody: until it takes clients."""
        self.base.start()
        wait_for_postgres(self.base.port)

    def saved(self) -> dict[str, int]:
        """The score of every rating in the database, by its key."""
        rows = self.rows("SELECT key::text, score FROM annotations_rating")
        assert len(rows) == len(dict(rows)), "a rating was saved twice under one key"
        return dict(rows)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with contextlib.closing(psycopg2.connect(self.dsn)) as base, base.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()


def migrated() -> Path:
    """What databases of stages begin with."""
    kept = os.environ.get("MIGRATED_CLUSTER") or f"{os.environ['DATA_DIR']}/migrated-cluster"
    return migrated_cluster(Path(kept))


@contextlib.contextmanager
def stage(also: str = "") -> Iterator[Stage]:
    """A site whose database runs; who wants its pages lets it `serve`."""
    with tempfile.TemporaryDirectory(prefix="da-stage-") as folder:
        made = Stage(folder, also)
        try:
            made.start_database()
            yield made
        finally:
            made.web.kill()
            made.base.kill(signal.SIGINT, group=False)


class Rater(threading.Thread):
    """Somebody rating a whole HIT, who remembers what the site has called saved."""

    about: ClassVar[dict[str, str]] = {}

    def __init__(self, url: str, link: str, pause: float) -> None:
        super().__init__(daemon=True)
        self.url, self.link, self.pause = url, link, pause
        self.told: dict[str, int] = {}
        self.tries = 0
        self.submitted = False

    def run(self) -> None:
        self.client = self.persist(self.open)
        for position in self.positions():
            rating = self.rating(position)
            self.persist(lambda rating=rating: self.client.save(rating))
            self.told[rating["key"]] = (rating.get("answers") or rating)["score"]
            time.sleep(self.pause)
        self.persist(self.client.submit)
        self.submitted = True

    def positions(self) -> Sequence[int]:
        return range(self.client.work["total"])

    def rating(self, position: int) -> dict[str, Any]:
        return body(self.client.items[position]["receipt"], position % 101)

    def open(self) -> RatingClient:
        client = RatingClient(self.url)
        try:
            assert client.enter(self.link, self.about)
        except Refused as refusal:  # a page that says sorry: people press reload
            raise OSError(str(refusal)) from None
        return client

    def persist(self, message: Any) -> Any:
        """Again and again, as the page does, until there is an answer that settles it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.tries += 1
            try:
                return message()
            except (OSError, HTTPException, ValueError):  # no answer, or one that is no JSON
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
                if hasattr(self, "client"):
                    self.client.close()


class Marker(Rater):
    """Somebody who answers the form, marks words, and corrects the videos that were sent back."""

    about: ClassVar[dict[str, str]] = {"town": "Upper Examplebury"}

    def positions(self) -> Sequence[int]:
        sent_back = [each["position"] for each in self.client.work["sentBack"]]
        for position in sent_back:
            self.persist(lambda position=position: self.fetch(position))
        return sent_back or range(self.client.work["total"])

    def fetch(self, position: int) -> None:
        path = f"{self.client.work['endpoints']['item-detail']}?position={position}"
        token = {"X-Assignment": self.client.token}
        _, _, content = self.client._send("GET", path, None, token)
        found = json.loads(content)["items"]
        self.client.items |= {item["position"]: item for item in found}

    def rating(self, position: int) -> dict[str, Any]:
        """One, two or three words are wrong; in what was sent back one less."""
        item = self.client.items[position]
        count = 1 + position % 3 - bool(self.client.work["sentBack"])
        marks = [[*word, "wrong"] for word in item["sentences"][0][: 2 * count : 2]]
        rating = body(item["receipt"], answers={"marks": marks, "score": 5 - count})
        del rating["score"], rating["fluency"]
        return rating


def rate_through(
    made: Stage, links: list[str], *, pause: float, trouble: Any, kind: type[Rater] = Rater
) -> list[Rater]:
    """Everybody rates; `trouble()` happens meanwhile. Returns when all have handed in."""
    raters = [kind(made.url, link, pause) for link in links]
    for rater in raters:
        rater.start()
    trouble()
    for rater in raters:
        rater.join(PATIENCE)
    return raters
