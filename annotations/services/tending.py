"""What the rules of a campaign do with a launch while nobody looks."""

from __future__ import annotations

from annotations.services.reviews import submissions_approve_due
from annotations.services.topups import launch_top_up
from hits.models import Launch


def launch_tend(*, launch: Launch) -> None:
    """Pay what is due, and ask somebody else where ratings had to be left out."""
    submissions_approve_due(campaign=launch.batch.campaign)
    launch.refresh_from_db()
    if launch.tops_up and launch.state == Launch.State.LIVE:
        launch_top_up(launch=launch)
