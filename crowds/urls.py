from __future__ import annotations

from django.urls import path

from crowds.invite import views as invite
from crowds.views import (
    closing,
    entry,
    launch_actions,
    launching,
    notices,
    overview,
    previewing,
    review_actions,
    reviewing,
)

app_name = "crowds"
urlpatterns = [
    path("rate/enter/<str:token>/", entry.enter, name="enter"),
    path("rate/join/<str:token>/", invite.join, name="join"),
    path("rate/done/<str:token>/", entry.done, name="done"),
    path("crowds/<slug:crowd>/webhook", notices.notice, name="notice"),
    path("campaigns/<slug:slug>/links/", invite.link_list, name="link-list"),
    path("campaigns/<slug:slug>/links/links.csv", invite.link_file, name="link-file"),
    path("campaigns/<slug:slug>/links/<int:invitation>/code/", invite.link_code, name="link-code"),
    path("campaigns/<slug:slug>/links/group/", invite.group_link, name="group-link"),
    path("campaigns/<slug:slug>/links/group/code/", invite.link_code, name="group-link-code"),
    path("campaigns/<slug:slug>/close/", closing.campaign_close, name="campaign-close"),
    path("campaigns/<slug:slug>/reopen/", closing.campaign_reopen, name="campaign-reopen"),
    path("campaigns/<slug:slug>/preview/", previewing.campaign_preview, name="campaign-preview"),
    path("campaigns/<slug:slug>/crowd/", overview.crowd, name="crowd"),
    path("campaigns/<slug:slug>/crowd/rules/", overview.policy_save, name="policy-save"),
    path(
        "campaigns/<slug:slug>/crowd/launch/<int:number>/",
        launching.launch_create,
        name="launch-create",
    ),
    path("campaigns/<slug:slug>/crowd/review/", reviewing.review, name="review"),
    path(
        "campaigns/<slug:slug>/crowd/orders",
        review_actions.review_action_list,
        name="review-action-list",
    ),
    path(
        "campaigns/<slug:slug>/crowd/orders/<int:pk>/undo/",
        review_actions.review_action_take_back,
        name="review-action-undo",
    ),
    *(
        path(
            f"campaigns/<slug:slug>/crowd/launches/<int:pk>/{action}/",
            launch_actions.launch_change,
            {"action": action},
            name=f"launch-{action}",
        )
        for action in launch_actions.ACTIONS
    ),
    *(
        path(
            f"campaigns/<slug:slug>/crowd/launches/<int:pk>/{action}/",
            launch_actions.launch_ask,
            {"action": action},
            name=f"launch-{action}",
        )
        for action in launch_actions.QUESTIONS
    ),
    *(
        path(
            f"campaigns/<slug:slug>/crowd/acts/<int:pk>/{word}/",
            overview.outbox_decide,
            {"word": word},
            name=f"outbox-{word}",
        )
        for word in ("again", "done", "undone")
    ),
]
