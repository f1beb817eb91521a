from __future__ import annotations

from django.urls import path

from annotations.views import closing, endpoints, entry, join, links, media, notices, preview, work
from annotations.views.crowd import launching, orders, overview, reviewing, turning

app_name = "annotations"
urlpatterns = [
    path("rate/save", endpoints.rating_create, name="rating-create"),
    path("rate/state", endpoints.work_detail, name="work-detail"),
    path("rate/item", endpoints.item_detail, name="item-detail"),
    path("rate/submit", endpoints.assignment_finish, name="assignment-finish"),
    path("rate/return", endpoints.assignment_give_back, name="assignment-return"),
    path("rate/media/<int:assignment>/<str:name>", media.media, name="media"),
    path("rate/enter/<str:token>/", entry.enter, name="enter"),
    path("rate/join/<str:token>/", join.join, name="join"),
    path("rate/work/<str:token>/", work.rate, name="rate"),
    path("rate/done/<str:token>/", work.done, name="done"),
    path("crowds/prolific/webhook", notices.prolific_notice, name="prolific-notice"),
    path("campaigns/<slug:slug>/hits/<int:pk>/preview/", preview.hit_preview, name="hit-preview"),
    path("campaigns/<slug:slug>/links/", links.link_list, name="link-list"),
    path("campaigns/<slug:slug>/links/group/", links.group_link, name="group-link"),
    path("campaigns/<slug:slug>/close/", closing.campaign_close, name="campaign-close"),
    path("campaigns/<slug:slug>/reopen/", closing.campaign_reopen, name="campaign-reopen"),
    path("campaigns/<slug:slug>/crowd/", overview.crowd, name="crowd"),
    path("campaigns/<slug:slug>/crowd/rules/", overview.policy_save, name="policy-save"),
    path(
        "campaigns/<slug:slug>/crowd/launch/<int:number>/",
        launching.launch_create,
        name="launch-create",
    ),
    path("campaigns/<slug:slug>/crowd/review/", reviewing.review, name="review"),
    path("campaigns/<slug:slug>/crowd/orders", orders.order_list, name="order-list"),
    path(
        "campaigns/<slug:slug>/crowd/orders/<int:pk>/undo/",
        orders.order_take_back,
        name="order-undo",
    ),
    *(
        path(
            f"campaigns/<slug:slug>/crowd/launches/<int:pk>/{turn}/",
            turning.launch_turn,
            {"turn": turn},
            name=f"launch-{turn}",
        )
        for turn in turning.TURNS
    ),
    *(
        path(
            f"campaigns/<slug:slug>/crowd/launches/<int:pk>/{turn}/",
            turning.launch_ask,
            {"turn": turn},
            name=f"launch-{turn}",
        )
        for turn in turning.QUESTIONS
    ),
    *(
        path(
            f"campaigns/<slug:slug>/crowd/acts/<int:pk>/{word}/",
            overview.act_decide,
            {"word": word},
            name=f"act-{word}",
        )
        for word in ("again", "done", "undone")
    ),
]
