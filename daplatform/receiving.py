"""Receiving files: whatever is sent, no more of it reaches the disk than may be uploaded."""

from __future__ import annotations

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Only counts what is beyond the limit, so that its size can be refused with a sentence.

    Files are received before any view is asked, from strangers too.
    """

    received = 0  # in this request, over all its files

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.received <= settings.UPLOAD_MAX_BYTES + self.chunk_size:
            super().receive_data_chunk(raw_data, start)
