from __future__ import annotations

from django.urls import path

from hits.views import batches, campaigns, plans, uploads, videos

app_name = "hits"
urlpatterns = [
    path("", campaigns.campaign_list, name="campaign-list"),
    path("import/", uploads.upload_create, name="upload-create"),
    path("import/<int:pk>/", uploads.upload_detail, name="upload-detail"),
    path("import/<int:pk>/confirm/", uploads.upload_confirm, name="upload-confirm"),
    path("import/<int:pk>/discard/", uploads.upload_discard, name="upload-discard"),
    path("<slug:slug>/", campaigns.campaign_detail, name="campaign-detail"),
    path("<slug:slug>/plan/", plans.campaign_plan, name="campaign-plan"),
    path("<slug:slug>/settings/", campaigns.campaign_settings, name="campaign-settings"),
    path("<slug:slug>/share/", campaigns.campaign_share, name="campaign-share"),
    path("<slug:slug>/leave/", campaigns.campaign_leave, name="campaign-leave"),
    path("<slug:slug>/compose/", batches.batch_compose, name="batch-compose"),
    path("<slug:slug>/batches/<int:number>/delete/", batches.batch_delete, name="batch-delete"),
    path("<slug:slug>/delete/", campaigns.campaign_delete, name="campaign-delete"),
    path("<slug:slug>/duplicate/", campaigns.campaign_duplicate, name="campaign-duplicate"),
    path("<slug:slug>/hits/", batches.hit_list, name="hit-list"),
    path("<slug:slug>/videos/", videos.video_list, name="video-list"),
    path("<slug:slug>/videos/conversions", videos.video_conversions, name="video-conversions"),
    path("<slug:slug>/videos/convert/", videos.video_convert, name="video-convert"),
    path("<slug:slug>/videos/<int:pk>/", videos.video_detail, name="video-detail"),
    path("<slug:slug>/captions/<int:pk>/correct/", videos.caption_correct, name="caption-correct"),
    path("<slug:slug>/videos/<int:pk>/file", videos.video_file, name="video-file"),
    path("<slug:slug>/videos/<int:pk>/poster", videos.video_poster, name="video-poster"),
]
