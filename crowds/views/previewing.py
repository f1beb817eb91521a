"""The annotator's pages with settings that are not saved yet, beside the form that has them."""

from __future__ import annotations

from csp.constants import SELF
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods

from annotations.language import speak, spoken
from annotations.views.preview import trial_page
from crowds.selectors.entry import form_asked, pay_offered, work_estimate
from crowds.views.entry import INVITED_PRIVACY
from hits.forms import SettingsForm
from hits.models import Campaign, Hit
from hits.views.access import MemberRequest, for_campaign


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})
@for_campaign("hits.change_campaign")
def campaign_preview(request: MemberRequest, campaign: Campaign) -> HttpResponseBase:
    """What annotators see: as it is saved or, posted, as the form has it. No row is written."""
    if request.method == "POST":
        SettingsForm(request.POST, instance=campaign).is_valid()  # what is valid is tried
    with spoken(request):
        if request.POST.get("page") == "entry":
            return _entry(request, campaign)
        hits = Hit.objects.filter(batch__campaign=campaign)
        return trial_page(request, campaign, hits.order_by("-batch__number", "number").first())


def _entry(request: HttpRequest, campaign: Campaign) -> HttpResponseBase:
    context = {
        "campaign": campaign,
        "texts": speak(campaign),
        "estimate": work_estimate(campaign),
        "pay": pay_offered(campaign),
        "form": [asked | {"given": ""} for asked in form_asked(campaign, None)],
        "privacy": INVITED_PRIVACY,
        "is_preview": True,
    }
    return render(request, "crowds/enter.html", context)
