"""Rows of the platform itself."""

from __future__ import annotations

from django.db import models


class SharedFile(models.Model):
    """What a file is that every machine may need, while the bucket holds its content.

    `daplatform.shared_files` says how it gets there. Without a bucket there are no rows.
    """

    path = models.CharField(max_length=400, unique=True)
    """Below the machine's own folder, such as results/3/17/captions.arrow."""
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.path

    @property
    def key(self) -> str:
        """Its name in the bucket. Another content has another: nobody reads half of a change."""
        return f"shared/{self.path}/{self.sha256}"
