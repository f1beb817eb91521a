"""What the same machine does beside rating: results recomputed, metrics scored, by the workers."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from analysis.models import MetricRun
    from hits.models import Campaign

METRICS = "bleu4,rougel,cider,chrf,clip_mean,clip_kmeans,emscore,emscore_ref,factvc,refclipscore"
CLIPS, SYSTEMS = 36, 6
PATIENCE = 300.0


def make_scored_campaign(folder: Path) -> Campaign:
    """A campaign with real clips, for metrics to look at."""
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from hits.models import Campaign
    from tests.folders import make_folder

    owner = User.objects.create(username="analyst", is_superuser=True)
    make_folder(folder, videos=CLIPS, systems=SYSTEMS, clips=True)
    call_command("import_campaign", str(folder), owner=owner.username, verbosity=0)
    return Campaign.objects.get(owner=owner)


class Neighbours(threading.Thread):
    """Asks the workers for more as soon as they are done, until told to stop."""

    def __init__(self, analysed: Campaign, scored: Campaign) -> None:
        super().__init__(daemon=True)
        self.analysed, self.scored = analysed, scored
        self.stopping = threading.Event()
        self.asked = {"results": 0, "runs of metrics": 0}

    @property
    def summary(self) -> str:
        return ", ".join(f"{times} {what} asked for" for what, times in self.asked.items())

    def run(self) -> None:
        from django.db import connection

        with contextlib.closing(connection):
            while not self.stopping.wait(0.5):
                self._analyse()
                self._score()
            self._settle()

    def recompute_once(self) -> None:
        """The first result reads all ratings from the database, the next only those since."""
        self._analyse()
        self._settle()

    def _analyse(self) -> None:
        from analysis.models import Result
        from analysis.results.settings import Settings
        from analysis.services.requests import result_request
        from daplatform.jobs.tasks import job_wake

        if self._results_waiting():
            return
        result = result_request(campaign=self.analysed, choices=Settings())
        Result.objects.filter(pk=result.pk).again()
        job_wake(result)
        self.asked["results"] += 1

    def _score(self) -> None:
        from django.conf import settings

        from analysis.services.metric_runs import metric_run_request
        from daplatform.jobs.tasks import job_wake

        if self._runs().exists():
            return
        shutil.rmtree(settings.METRIC_STORE, ignore_errors=True)  # or nothing is left to embed
        run = metric_run_request(campaign=self.scored, metrics=METRICS.split(","))
        job_wake(run)
        self.asked["runs of metrics"] += 1

    def _settle(self) -> None:
        """What was asked for last is finished or given up, so that the machine is at rest."""
        from analysis.services.metric_runs import metric_run_cancel

        for run in self._runs():
            metric_run_cancel(run=run)
        deadline = time.monotonic() + PATIENCE
        while self._results_waiting() and time.monotonic() < deadline:
            time.sleep(0.5)

    def _results_waiting(self) -> bool:
        return self.analysed.results.active().exists()

    def _runs(self) -> QuerySet[MetricRun]:
        return self.scored.metric_runs.active()


@contextlib.contextmanager
def busy(analysed: Campaign, scored: Campaign) -> Iterator[Neighbours]:
    """Workers that never rest while the block runs."""
    neighbours = Neighbours(analysed, scored)
    neighbours.start()
    try:
        yield neighbours
    finally:
        neighbours.stopping.set()
        neighbours.join(PATIENCE)
