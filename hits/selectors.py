"""Reading campaigns: who may see what, and the columns pages and composition want."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q, QuerySet

from hits.models import Campaign


def campaigns_for(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Campaign]:
    """The campaigns this person owns or was given a share in; administrators see all."""
    if not isinstance(user, User) or not user.is_active:
        return Campaign.objects.none()
    if user.is_superuser:
        return Campaign.objects.all()
    mine = Q(owner=user) | Q(pk__in=user.shared_campaigns.values("pk"))
    return Campaign.objects.filter(mine)
