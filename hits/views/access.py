"""Who may open which page. Other people's campaigns do not exist; looking is not changing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django_htmx.http import HttpResponseClientRefresh
from django_htmx.middleware import HtmxDetails

from hits.models import Campaign

P = ParamSpec("P")


class MemberRequest(HttpRequest):
    """A request of someone who has logged in."""

    user: User
    htmx: HtmxDetails


MemberView = Callable[Concatenate[MemberRequest, P], HttpResponseBase]
CampaignView = Callable[Concatenate[MemberRequest, Campaign, P], HttpResponseBase]
View = Callable[..., HttpResponseBase]


def campaigns_for(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Campaign]:
    """The campaigns this person owns or was given a share in; administrators see all."""
    if not isinstance(user, User) or not user.is_active:
        return Campaign.objects.none()
    if user.is_superuser:
        return Campaign.objects.all()
    mine = Q(owner=user) | Q(pk__in=user.shared_campaigns.values("pk"))
    return Campaign.objects.filter(mine)


def logged_in(view: View) -> View:
    """Whoever is not is sent to log in, with the whole page where a part of it was asked for."""
    asking = login_required(view)

    @wraps(view)
    def checked(request: Any, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.htmx and not request.user.is_authenticated:
            return HttpResponseClientRefresh()
        return asking(request, *args, **kwargs)

    return checked


def for_member(permission: str | None = None) -> Callable[[MemberView[P]], View]:
    """For people who have logged in and, where one is named, hold the permission."""

    def decorate(view: MemberView[P]) -> View:
        @logged_in
        @wraps(view)
        def guarded(request: MemberRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            require(request.user, permission)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def for_campaign(permission: str | None = None) -> Callable[[CampaignView[P]], View]:
    """The view gets the campaign its address names, if it is one of this person's."""

    def decorate(view: CampaignView[P]) -> View:
        @logged_in
        @wraps(view)
        def guarded(
            request: MemberRequest, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            campaign = get_object_or_404(
                campaigns_for(request.user).select_related("owner"), slug=slug
            )
            require(request.user, permission)
            return view(request, campaign, *args, **kwargs)

        return guarded

    return decorate


def require(user: User, permission: str | None) -> None:
    if permission is not None and not user.has_perm(permission):
        raise PermissionDenied("Your account can view campaigns but not change them.")
