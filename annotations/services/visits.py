"""Whether somebody was sent by the crowd they say they come from.

Their address says who they are, and anybody can write an address. Prolific can be asked at once.
Mechanical Turk tells of nobody before they hand in; and where a crowd does not answer, nobody is
kept waiting: what is handed in is held against the crowd's own list in any case.
"""

from __future__ import annotations

from annotations.crowds import Visitor
from annotations.errors import LinkRefused
from hits.crowds.gateway import CrowdError, NotFound, Progress
from hits.crowds.prolific.visits import submission_glance
from hits.models import Campaign, ExternalId


def visit_check(*, campaign: Campaign, crowd: str, visitor: Visitor) -> None:
    """Refuse somebody whom Prolific did not send to a study of this campaign, or not any more."""
    studies = ExternalId.objects.filter(
        crowd=crowd,
        kind=ExternalId.Kind.PUBLICATION,
        posting__launch__batch__campaign=campaign,
    )
    if crowd != "prolific" or not studies.exists():
        return
    try:
        found = submission_glance(visitor.turn)
    except NotFound:
        raise LinkRefused("Prolific did not send you here. Open the study there.") from None
    except CrowdError:
        return
    known = studies.filter(external_id=found.publication).exists()
    if found.person != visitor.person or not known:
        raise LinkRefused("Prolific sent somebody else here. Open the study there.")
    if found.progress != Progress.WORKING:
        raise LinkRefused("Prolific says that your part in this study is over.")
