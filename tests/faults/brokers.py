"""Redis and RabbitMQ, to be killed, stopped, emptied and started again. Tests take either."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import subprocess
from pathlib import Path

from amqp.exceptions import NotFound
from kombu import Connection
from redis import Redis

from tests.faults.stage import PATIENCE, Part
from tests.services import free_port, program_or_skip

QUEUES = ("default", "crowd", "gpu")
RABBITMQ = Path("/usr/lib/rabbitmq/bin")  # the program in PATH is a wrapper for one user


class RedisBroker(Part):
    """One that keeps nothing on its disk."""

    def __init__(self, folder: Path, *addresses: str) -> None:
        port = free_port()
        command = [program_or_skip("redis-server"), "--port", str(port), "--dir", str(folder)]
        command += ["--bind", "127.0.0.1", *addresses, "--protected-mode", "no", "--save", ""]
        super().__init__(command, port, stdout=subprocess.DEVNULL)

    def url(self, host: str = "127.0.0.1") -> str:
        return f"redis://{host}:{self.port}/0"

    def listeners(self) -> int:
        """Workers that wait at a queue."""
        with contextlib.closing(Redis(port=self.port, socket_timeout=PATIENCE)) as client:
            return sum(row["cmd"] == "brpop" for row in client.client_list())

    def forget(self) -> None:
        """Everything that waits is gone."""
        with contextlib.closing(Redis(port=self.port, socket_timeout=PATIENCE)) as client:
            client.flushall()


class RabbitBroker(Part):
    """A node of its own, with a name server of its own in the same process group."""

    def __init__(self, folder: Path, *, tick: int = 60_000, **settings: str) -> None:
        """``tick``: how many milliseconds it lets pass before it looks at its channels again."""
        program_or_skip("rabbitmq-server", RABBITMQ)
        self.folder, self.password = folder, secrets.token_hex(8)
        port, names = free_port(), str(free_port())
        lines = {"default_user": "da", "default_pass": self.password, "loopback_users": "none"}
        (folder / "rabbitmq.conf").write_text(
            "".join(f"{name} = {value}\n" for name, value in (lines | settings).items())
        )
        script = f"epmd -port {names} & exec {RABBITMQ}/rabbitmq-server"
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "ERL_EPMD_PORT": names,
            "RUNNING_UNDER_SYSTEMD": "yes",  # so that no shell stays between us and the node
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"-rabbit channel_tick_interval {tick}",
            "RABBITMQ_NODENAME": f"da-{port}@localhost",
            "RABBITMQ_NODE_PORT": str(port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
        }
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        super().__init__(["bash", "-c", script], port, env=environment, **silent)

    def url(self, host: str = "127.0.0.1") -> str:
        return f"amqp://da:{self.password}@{host}:{self.port}//"

    def start(self) -> None:
        """With an empty disk, as Redis starts."""
        shutil.rmtree(self.folder / "mnesia", ignore_errors=True)
        super().start()

    def gave_up(self) -> bool:
        """Whether it has closed the channel of a worker that was busy for too long."""
        logs = (self.folder / "log").glob("*.log")
        return any("timed out waiting for delivery ack" in log.read_text() for log in logs)

    def start_or_forget(self) -> None:
        """Running and empty, whatever was done to it before."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        else:
            self.forget()

    def listeners(self) -> int:
        with Connection(self.url()) as wire, contextlib.suppress(NotFound):
            return int(wire.default_channel.queue_declare(QUEUES[0], passive=True).consumer_count)
        return 0

    def forget(self) -> None:
        with Connection(self.url()) as wire:
            for queue in QUEUES:
                wire.default_channel.queue_delete(queue)


Broker = RedisBroker | RabbitBroker
