"""Around every request: what may come in, and by whom the answer may be kept."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.utils.cache import has_vary_header, patch_cache_control
from django.utils.functional import cached_property


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Only counts what is beyond the limit, so that its size can be refused with a sentence.

    Files are received before any view is asked, and before a form's token is looked at: from
    strangers too, whose files are not kept at all.
    """

    received = 0  # in this request, over all its files

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.received <= self._most:
            super().receive_data_chunk(raw_data, start)

    @cached_property
    def _most(self) -> int:
        user = getattr(self.request, "user", None)
        is_known = user is not None and user.is_authenticated
        return settings.UPLOAD_MAX_BYTES + self.chunk_size if is_known else 0


class WithoutNul:
    """Refuses NUL characters in addresses and cookies: PostgreSQL cannot even be asked for one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("The address contains a NUL character.")
        if any("\0" in value for value in request.COOKIES.values()):
            raise BadRequest("A cookie contains a NUL character.")
        return self.get_response(request)


class Private:
    """What depends on who is logged in is kept by no proxy, and by a browser asked for anew."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if has_vary_header(response, "Cookie") and "Cache-Control" not in response:
            patch_cache_control(response, private=True, no_cache=True)
        return response
