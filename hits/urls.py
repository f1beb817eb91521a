from __future__ import annotations

from django.urls import path

from hits import views

app_name = "hits"
urlpatterns = [
    path("", views.campaign_list, name="campaign-list"),
    path("import/", views.upload_create, name="upload-create"),
    path("import/<int:pk>/", views.upload_detail, name="upload-detail"),
    path("import/<int:pk>/confirm/", views.upload_confirm, name="upload-confirm"),
    path("<slug:slug>/", views.campaign_detail, name="campaign-detail"),
    path("<slug:slug>/plan/", views.campaign_plan, name="campaign-plan"),
    path("<slug:slug>/share/", views.campaign_share, name="campaign-share"),
    path("<slug:slug>/compose/", views.batch_compose, name="batch-compose"),
    path("<slug:slug>/hits/<int:pk>/", views.hit_detail, name="hit-detail"),
    path("<slug:slug>/hits/<int:pk>/preview/", views.hit_preview, name="hit-preview"),
    path("<slug:slug>/videos/<int:pk>/", views.video_detail, name="video-detail"),
    path("<slug:slug>/videos/<int:pk>/file", views.video_file, name="video-file"),
    path("<slug:slug>/videos/<int:pk>/poster", views.video_poster, name="video-poster"),
]
