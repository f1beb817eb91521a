from __future__ import annotations

from django.urls import path

from annotations.views import endpoints, entry, links, media, notices, preview, work

app_name = "annotations"
urlpatterns = [
    path("rate/save", endpoints.rating_create, name="rating-create"),
    path("rate/state", endpoints.work_detail, name="work-detail"),
    path("rate/item", endpoints.item_detail, name="item-detail"),
    path("rate/submit", endpoints.assignment_finish, name="assignment-finish"),
    path("rate/return", endpoints.assignment_give_back, name="assignment-return"),
    path("rate/media/<int:assignment>/<str:name>", media.media, name="media"),
    path("rate/enter/<str:token>/", entry.enter, name="enter"),
    path("rate/work/<str:token>/", work.rate, name="rate"),
    path("rate/done/<str:token>/", work.done, name="done"),
    path("crowds/prolific/webhook", notices.prolific_notice, name="prolific-notice"),
    path("campaigns/<slug:slug>/hits/<int:pk>/preview/", preview.hit_preview, name="hit-preview"),
    path("campaigns/<slug:slug>/links/", links.link_list, name="link-list"),
]
