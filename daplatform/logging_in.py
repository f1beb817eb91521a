"""The door for people with accounts: how many may knock, so that a flood stays outside.

An address is told to wait after LOGINS_PER_MINUTE attempts, under whatever names. A browser that
has logged in before carries a cookie that only this site could make for that name: its attempts
under the name are counted by themselves, so that nobody is kept out by others at their address.
"""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import wraps

from django.conf import settings
from django.contrib.auth import hashers
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import constant_time_compare, salted_hmac

from daplatform.throttling import WINDOW, client_address, is_logging_in_too_often

COOKIE, SALT = "known_browser", "daplatform.logging_in"
COOKIE_SECONDS = 180 * 24 * 60 * 60
BUSY_SECONDS = 5
View = Callable[..., HttpResponseBase]


def guarded(view: View) -> View:
    """A view that checks passwords, for as many at once as the machine can bear."""

    @wraps(view)
    def guarding(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        if is_logging_in_too_often(_who(request)):
            return _wait(request, 429, WINDOW)
        try:
            with SLOTS.one():
                response = view(request, *args, **kwargs)
        except Busy:
            return _wait(request, 503, BUSY_SECONDS)
        return _remember(request, response)

    return guarding


login = guarded(LoginView.as_view(redirect_authenticated_user=True))


def _who(request: HttpRequest) -> str:
    """By whose count an attempt goes: that of a name in a known browser, or the address's."""
    name = request.POST.get("username", "")
    if constant_time_compare(request.COOKIES.get(COOKIE, ""), _mark(name)):
        return _mark(name)
    return f"from-{client_address(request)}"


def _mark(name: str) -> str:
    return salted_hmac(SALT, name, algorithm="sha256").hexdigest()


def _remember(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if request.user.is_authenticated and isinstance(response, HttpResponse):
        response.set_cookie(
            COOKIE,
            _mark(request.user.get_username()),
            max_age=COOKIE_SECONDS,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    return response


def _wait(request: HttpRequest, status: int, seconds: int) -> HttpResponse:
    page = render(request, "registration/wait.html", {"seconds": seconds}, status=status)
    page["Retry-After"] = str(seconds)
    return page


class Argon2PasswordHasher(hashers.Argon2PasswordHasher):
    """Argon2id with OWASP's parameters for a server: 19 MiB, two passes, one lane.

    Django's own (100 MiB, eight lanes) occupies every core of a small machine, and a few log-ins
    at once its memory. Passwords kept with other parameters still hold: they are kept with these
    when their owner logs in next.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1


class Busy(RuntimeError):
    """As many passwords are being checked as may be at once."""


class Slots:
    """So many at once on this machine, counted over all processes forked from this one.

    A slot is a byte of a file that is open in all of them: a process that dies gives its locks
    back, which a semaphore would not. Locks of a file hold between processes; hence one thread of
    each process at a time.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is
        self._thread = threading.Lock()

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Hold a slot during the block; Busy at once where there is none."""
        if not self._thread.acquire(blocking=False):
            raise Busy
        try:
            slot = self._free_slot()
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, slot)
        finally:
            self._thread.release()

    def _free_slot(self) -> int:
        for slot in range(settings.LOGINS_AT_ONCE):
            with contextlib.suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
                return slot
        raise Busy


SLOTS = Slots()
