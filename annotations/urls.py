from __future__ import annotations

from django.urls import path

from annotations.views import endpoints, preview, rating_page

app_name = "annotations"
urlpatterns = [
    path("rate/save", endpoints.rating_create, name="rating-create"),
    path("rate/state", endpoints.work_detail, name="work-detail"),
    path("rate/item", endpoints.item_detail, name="item-detail"),
    path("rate/tutorial", endpoints.tutorial_check, name="tutorial-check"),
    path("rate/problem", endpoints.problem_create, name="problem-create"),
    path("rate/submit", endpoints.assignment_finish, name="assignment-finish"),
    path("rate/return", endpoints.assignment_give_back, name="assignment-return"),
    path("rate/media/<int:assignment>/<str:name>", endpoints.media, name="media"),
    path("rate/work/<str:token>/", rating_page.rate, name="rate"),
    path("campaigns/<slug:slug>/hits/<int:pk>/preview/", preview.hit_preview, name="hit-preview"),
]
