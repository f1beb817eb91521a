"""What crowds tell us by themselves: only a reason to look sooner than we would have."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from crowds.models import ExternalId, Launch, Notice


@transaction.atomic
def notice_accept(*, crowd: str, ids: Sequence[str], publication: str) -> Launch | None:
    """The launch to be looked at; None for a repeated notice, or one about nothing of ours.

    A notice has several ids where each alone may be new in a repetition.
    """
    firsts = [notice_record(crowd=crowd, external_id=name) for name in ids]
    if not all(firsts):
        return None
    known = ExternalId.objects.filter(
        crowd=crowd, kind=ExternalId.Kind.PUBLICATION, external_id=publication
    ).select_related("publication__launch")
    found = known.first()
    return found.publication.launch if found else None


def notice_record(*, crowd: str, external_id: str) -> bool:
    """Whether this is the first delivery of a notice; a repeated one has been acted upon."""
    try:
        with transaction.atomic():
            Notice.objects.create(crowd=crowd, external_id=external_id)
    except IntegrityError:
        return False
    return True
