"""Knowing people by a pseudonym."""

from __future__ import annotations

import hashlib
import secrets

from django.db import IntegrityError, transaction

from annotations.models import Annotator, AnnotatorIdentity

SIMULATED = "simulated"


def annotator_identify(*, crowd: str, external_id: str) -> Annotator:
    """The annotator behind somebody's id in a crowd, made at their first visit."""
    known = Annotator.objects.filter(identity__crowd=crowd, identity__external_id=external_id)
    try:
        return known.get()
    except Annotator.DoesNotExist:
        pass
    try:
        return _annotator_create(crowd, external_id)
    except IntegrityError:  # the same person's other request was quicker
        return known.get()


@transaction.atomic
def _annotator_create(crowd: str, external_id: str) -> Annotator:
    simulated = crowd == SIMULATED
    pseudonym = f"sim-{_digest(external_id)}" if simulated else f"a-{secrets.token_hex(6)}"
    annotator = Annotator.objects.create(pseudonym=pseudonym, is_simulated=simulated)
    AnnotatorIdentity.objects.create(annotator=annotator, crowd=crowd, external_id=external_id)
    return annotator


def _digest(name: str) -> str:
    """The same simulated annotator has the same pseudonym in every run."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]
