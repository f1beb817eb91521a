"""Importing a campaign in the browser: send an archive, see what is in it, then say yes."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from daplatform.errors import DomainError
from daplatform.jobs.tasks import job_wake
from hits.forms import UploadForm
from hits.models import Upload
from hits.services import uploads
from hits.views.access import MemberRequest, for_member

MAY_IMPORT = "hits.add_upload"


@require_http_methods(["GET", "HEAD", "POST"])
@for_member(MAY_IMPORT)
def upload_create(request: MemberRequest) -> HttpResponseBase:
    if request.method != "POST":
        return upload_form(request, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return upload_form(request, form)
    try:
        upload = uploads.upload_create(owner=request.user, archive=form.cleaned_data["archive"])
    except DomainError as error:
        form.add_error("archive", str(error))
        return upload_form(request, form)
    job_wake(upload)
    return go_to(request, reverse("hits:upload-detail", args=[upload.pk]))


@require_safe
@for_member(MAY_IMPORT)
def upload_detail(request: MemberRequest, pk: int) -> HttpResponseBase:
    """The page polls itself, with htmx, while the archive is being worked on."""
    upload = get_object_or_404(request.user.uploads.select_related("campaign"), pk=pk)
    if upload.is_imported and upload.campaign and not was_known(upload):
        return go_to(request, upload.campaign.get_absolute_url())
    return upload_page(request, upload)


@require_POST
@for_member(MAY_IMPORT)
def upload_confirm(request: MemberRequest, pk: int) -> HttpResponseBase:
    upload = get_object_or_404(request.user.uploads.select_related("campaign"), pk=pk)
    try:
        uploads.upload_confirm(upload=upload)
    except DomainError as error:
        return upload_page(request, upload, error=str(error))
    job_wake(upload)
    return redirect("hits:upload-detail", upload.pk)


@require_POST
@for_member(MAY_IMPORT)
def upload_discard(request: MemberRequest, pk: int) -> HttpResponseBase:
    upload = get_object_or_404(request.user.uploads.select_related("campaign"), pk=pk)
    try:
        uploads.upload_discard(upload=upload)
    except DomainError as error:
        return upload_page(request, upload, error=str(error))
    messages.success(request, f"“{upload.filename}” is forgotten.")
    return redirect("hits:campaign-list")


def upload_form(request: MemberRequest, form: UploadForm) -> HttpResponseBase:
    name = "hits/_upload_form.html" if request.htmx else "hits/upload_create.html"
    return render(request, name, {"form": form}, status=400 if form.errors else 200)


def upload_page(request: MemberRequest, upload: Upload, *, error: str = "") -> HttpResponseBase:
    name = "hits/_upload.html" if request.htmx else "hits/upload_detail.html"
    report = upload.report
    unlisted = report.get("error_count", 0) + report.get("warning_count", 0)
    context = {
        "upload": upload,
        "report": report,
        "unlisted": unlisted - len(report.get("faults", [])),
        "was_known": was_known(upload),
        "error": error,
    }
    return render(request, name, context, status=400 if error else 200)


def was_known(upload: Upload) -> bool:
    """Whether its files were imported before."""
    return bool(upload.campaign and upload.campaign.created_at < upload.created_at)


def go_to(request: MemberRequest, address: str) -> HttpResponseBase:
    """Sent by htmx, a plain redirect would be followed out of sight."""
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
