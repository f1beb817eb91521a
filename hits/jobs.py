"""The kinds of jobs of campaigns."""

from __future__ import annotations

from daplatform.jobs.services import JobKind
from hits.models import Batch, Rendition, Upload
from hits.services.composing import batch_fill
from hits.services.renditions import rendition_make, renditions_prune
from hits.services.uploads import upload_refuse, upload_work

KINDS = (
    JobKind("uploads", Upload, upload_work, fail=upload_refuse),
    JobKind("batches", Batch, batch_fill),
    JobKind("renditions", Rendition, rendition_make, prune=renditions_prune),
)
