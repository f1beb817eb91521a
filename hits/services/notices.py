"""Messages that crowds send us by themselves."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from hits.models import Notice


def notice_record(*, crowd: str, external_id: str) -> bool:
    """Whether this is the first delivery of a notice; a repeated one has been acted upon."""
    try:
        with transaction.atomic():
            Notice.objects.create(crowd=crowd, external_id=external_id)
    except IntegrityError:
        return False
    return True
