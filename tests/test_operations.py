"""docs/operations.md, followed command by command on a clean tree, to a first rating and back.

A test machine is nobody's server. What stands in for what is in STAND_INS and PLACES: packages are
those the tests found, Python's are the tests' own (tests/test_packaging.py installs them from
nothing), everybody is the user of the tests, and tests/systemctl.py starts what units say.
PostgreSQL with its role's password, Redis, gunicorn, workers, beat and nginx are real.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from rehearsal.people.rating_client import RatingClient
from tests.annotations.person import body
from tests.services import (
    HEADERS_MORE,
    POSTGRES_FOLDERS,
    free_port,
    program_or_skip,
    redis,
    server,
    server_user,
    wait_for_postgres,
)

ROOT = Path(__file__).parents[1]
SITE = "da.example.org"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

# Programs that would change the machine the tests run on.
STAND_INS = {
    "apt-get": "exit 0",
    "useradd": "exit 0",
    "runuser": 'shift 3; exec "$@"',  # -u NAME --
    "systemctl": 'cd {checkout} && exec {python} -m tests.systemctl {root} "$@"',
    "pip": "exit 0",
    "git": "exit 0",
}
# Commands and files of deploy/ name these places; the test has them in a folder of its own.
PLACES = {
    r"/etc/systemd/system": "{root}/units",
    r"/etc/nginx/conf\.d": "{root}/conf.d",
    r"/etc/ssl/private|/etc/ssl": "{root}/ssl",
    r"/etc/daplatform": "{root}/daplatform",
    r"/srv/daplatform": "{root}/srv/daplatform",
    r"/run/daplatform": "{root}/run/daplatform",
    r"/var/log/nginx": "{root}/run",
    r"/backup\b": "{root}/backup",
    r"127\.0\.0\.1:5432": "127.0.0.1:{postgres}",
    r"redis://127\.0\.0\.1:6379/0": "{redis}",
    r"(?<=listen )443|(?<=SITE:)443": "{https}",
    r"(?<=listen )80;": "{http};",
    r"https://\$SITE/healthz": "https://$SITE:{https}/healthz",
    r"(-o|-g|--chown=)\s*da(:da)? ": "",  # nobody else is here
    r"python3 -m venv \.venv": "true",  # it is there
    r"\.venv/bin/pip ": "pip ",
    r"da createsuperuser": "DJANGO_SUPERUSER_PASSWORD=for-this-test-only "
    "da createsuperuser --no-input --username owner --email owner@example.org",
}


def blocks(heading: str) -> str:
    """The commands of a section."""
    text = (ROOT / "docs/operations.md").read_text("utf-8")
    [section] = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return "\n".join(re.findall(r"^```bash\n(.*?)^```", section, re.MULTILINE | re.DOTALL))


class Machine:
    """A folder that is one machine's disk, with servers of its own."""

    def __init__(self, root: Path, ports: dict[str, object]) -> None:
        self.root, self.ports = root, ports | {"root": root}
        self.tree = root / "srv/daplatform"
        for folder in ("bin", "units", "conf.d", "ssl", "run"):
            (root / folder).mkdir()
        for name, script in STAND_INS.items():
            file = root / "bin" / name
            filled = script.format(root=root, python=sys.executable, checkout=ROOT)
            file.write_text(f"#!/bin/bash\n{filled}\n", "utf-8")
            file.chmod(0o755)
        self.copy_tree()
        (root / "nginx.conf").write_text(
            f"load_module {HEADERS_MORE}; worker_processes 1;\n"
            f"error_log {root}/run/error.log; events {{ }}\n"
            f"http {{ client_body_temp_path {root}/run/body; proxy_temp_path {root}/run/proxy;\n"
            f"include {root}/conf.d/*.conf; }}\n",
            "utf-8",
        )

    def copy_tree(self) -> None:
        """Nothing that is not kept with the code, and the environment of the tests."""
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True)
        for name in filter(None, names.stdout.split("\0")):
            if (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.tree / name)
        for file in (self.tree / "deploy").glob("*.*"):
            file.write_text(self.here(file.read_text("utf-8")), "utf-8")
        (self.tree / ".venv/bin").mkdir(parents=True)
        for program in ("python", "celery", "gunicorn"):
            script = f'#!/bin/bash\nexec {Path(sys.executable).parent}/{program} "$@"\n'
            (self.tree / ".venv/bin" / program).write_text(script, "utf-8")
            (self.tree / ".venv/bin" / program).chmod(0o755)

    def here(self, text: str) -> str:
        for place, own in PLACES.items():
            text = re.sub(place, own.format(**self.ports).replace("\\", r"\\"), text)
        return text

    def run(self, *commands: str) -> str:
        """In one shell, as somebody types them; each must succeed."""
        script = "\n".join(self.here(command) for command in commands)
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            env={
                "PATH": f"{self.root}/bin:{POSTGRES_FOLDERS[0]}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(self.root),
                "PGHOST": str(self.root / "postgres"),
                "PGPORT": str(self.ports["postgres"]),
                "PGUSER": "postgres",
                "DJANGO_SETTINGS_MODULE": "daplatform.settings",
            },
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr + self.logs()
        return done.stdout

    def logs(self) -> str:
        files = sorted((self.root / "run").glob("*.log"))
        return "\n".join(f"{file.name}:\n{file.read_text('utf-8')[-2000:]}" for file in files)

    def connection(self) -> http.client.HTTPSConnection:
        """To nginx, which is asked for the site's own name, with the site's own certificate."""
        trusted = ssl.create_default_context(cafile=self.root / f"ssl/{SITE}.pem")
        port = int(str(self.ports["https"]))
        made = http.client.HTTPSConnection(SITE, port, timeout=60, context=trusted)
        made._create_connection = lambda _, *rest: socket.create_connection(("127.0.0.1", port))
        return made

    def rate(self, link: str) -> None:
        client = RatingClient(f"https://{SITE}")
        client.connection = self.connection()
        assert client.enter(link)
        assert client.save(body(client.items[0]["receipt"]))["done"] == 1
        client.close()

    def is_ready(self) -> bool:
        with contextlib.closing(self.connection()) as wire:
            wire.request("GET", "/readyz")
            return wire.getresponse().status == 200

    def ratings(self) -> str:
        asked = "psql -At daplatform -c 'SELECT count(*) FROM annotations_rating'"
        return self.run(asked).strip()


@contextlib.contextmanager
def database(folder: Path, port: int):
    """As Debian's: the system's user by its socket, everybody else by a password."""
    folder.parent.chmod(0o755)  # PostgreSQL and nginx run as somebody else
    folder.mkdir()
    if user := server_user():
        shutil.chown(folder, user)
    initdb, binary = (program_or_skip(name, *POSTGRES_FOLDERS) for name in ("initdb", "postgres"))
    make = [initdb, "-D", f"{folder}/data", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8"]
    make += ["--auth-local=trust", "--auth-host=scram-sha-256", "-N"]
    subprocess.run(make, user=user, check=True, stdout=subprocess.DEVNULL)
    command = [binary, "-D", f"{folder}/data", "-k", str(folder), "-p", str(port)]
    with server([*command, "-c", "listen_addresses=127.0.0.1"], port, user=user):
        wait_for_postgres(port)
        yield


@pytest.fixture
def machine():
    for program in ("nginx", "openssl", "rsync", "curl", "redis-server"):
        program_or_skip(program, Path("/usr/sbin"))
    port = free_port()
    with (
        tempfile.TemporaryDirectory(prefix="da-machine-") as folder,
        database(Path(folder, "postgres"), port),
        redis() as broker,
    ):
        root = Path(folder)
        ports = {"postgres": port, "redis": broker, "https": free_port(), "http": free_port()}
        made = Machine(root, ports)
        try:
            yield made
        finally:
            made.run("systemctl stop '*'")


def test_whoever_follows_the_page_gets_a_first_rating_and_gets_it_back(machine):
    said = machine.run(blocks("One machine"))
    assert "System check identified no issues" in said
    assert json.loads(said.splitlines()[-1]) == dict.fromkeys(("database", "broker", "media"), True)
    function = re.search(r"^da\(\).*$", blocks("One machine"), re.MULTILINE)[0]
    made = function.replace("manage.py", "-m tests.faults.campaign")
    links = json.loads(machine.run("cd /srv/daplatform", made, "da 1"))
    machine.rate(links[0])
    assert machine.ratings() == "1"
    for path in ("/accounts/login/", "/no-such-page", "/readyz"):
        with contextlib.closing(machine.connection()) as wire:
            wire.request("GET", path)
            assert wire.getresponse().headers["Server"] is None

    machine.run(blocks("Backing up"))
    machine.run(function, blocks("Upgrading"))
    assert machine.ratings() == "1"
    assert machine.is_ready()
    machine.run("psql -q daplatform -c 'DELETE FROM annotations_rating'")
    said = machine.run("cd /srv/daplatform", function, blocks("Restoring"))
    assert "hold." in said
    assert machine.ratings() == "1"
    assert machine.is_ready()


def test_every_command_that_is_replaced_is_on_the_page():
    page = "\n".join(map(blocks, ("One machine", "Upgrading", "Backing up", "Restoring")))
    page += "".join(file.read_text("utf-8") for file in (ROOT / "deploy").glob("*.*"))
    for place in PLACES:
        assert re.search(place, page), place
    for program in STAND_INS:
        assert re.search(rf"\b{program} ", page), program
