"""Two S3 servers, to be killed, stopped and started again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import boto3

from tests.faults.stage import Part
from tests.services import free_port

NAME, KEY, SECRET, REGION = "media", "machines", "for-these-tests-only", "us-east-1"


class Bucket(Part):
    """A server with one bucket, which answers at every address where it may be asked from."""

    def __init__(self, command: list[str], port: int) -> None:
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        super().__init__(
            [str(Path(sys.executable).with_name(command[0])), *command[1:]], port, **silent
        )

    def variables(self, host: str = "127.0.0.1") -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "MEDIA_BUCKET": NAME,
            "MEDIA_ENDPOINT_URL": f"http://{host}:{self.port}",
            "MEDIA_REGION": REGION,
        }


class MotoBucket(Bucket):
    """In memory: what is killed comes back empty."""

    def __init__(self, folder: Path, host: str = "127.0.0.1") -> None:
        port = free_port()
        super().__init__(["python", "-m", "moto.server", "-H", host, "-p", str(port)], port)

    def start(self) -> None:
        super().start()
        boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{self.port}", region_name=REGION,
            aws_access_key_id=KEY, aws_secret_access_key=SECRET,
        ).create_bucket(Bucket=NAME)  # fmt: skip


class RcloneBucket(Bucket):
    """Over a folder, which it has again when it is started again. It refuses other keys."""

    def __init__(self, folder: Path, host: str = "127.0.0.1") -> None:
        port, held = free_port(), folder / "held"
        (held / NAME).mkdir(parents=True)
        command = ["rclone", "serve", "s3", str(held), "--addr", f"{host}:{port}"]
        command += ["--auth-key", f"{KEY},{SECRET}", "--vfs-cache-mode", "off", "--config", ""]
        super().__init__(command, port)


BUCKETS = {"moto": MotoBucket, "rclone": RcloneBucket}
