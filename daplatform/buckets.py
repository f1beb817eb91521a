"""How buckets are spoken to: one that hangs fails what asked for it, and soon."""

from __future__ import annotations

from typing import Any

BACKEND = "storages.backends.s3.S3Storage"


def bucket(name: str, *, endpoint: str, region: str, **options: Any) -> dict[str, Any]:
    """Django's settings for a storage in a bucket."""
    from botocore.config import Config  # a second's work, and most machines have no bucket

    patience = Config(
        connect_timeout=5,
        read_timeout=20,
        retries={"mode": "standard", "total_max_attempts": 2},
    )
    common = {"endpoint_url": endpoint or None, "region_name": region or None, "default_acl": None}
    own = {"bucket_name": name, "client_config": patience}
    return {"BACKEND": BACKEND, "OPTIONS": common | own | options}
