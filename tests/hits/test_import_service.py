"""Checked files become rows: all of them, once."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from daplatform.errors import DomainError
from hits.importing.reading import read_campaign
from hits.models import Campaign, Caption, System, Video
from hits.services import importing
from hits.services.importing import campaign_import
from tests.factories import make_user
from tests.folders import make_folder, make_zip

pytestmark = pytest.mark.django_db


def import_command(*arguments: str) -> str:
    out = StringIO()
    call_command("import_campaign", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def files_below(folder) -> list[str]:
    return (
        sorted(path.name for path in folder.rglob("*") if path.is_file()) if folder.exists() else []
    )


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "campaign", videos=3, systems=2, clips=True)


def test_a_folder_becomes_a_campaign(folder, organiser):
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    assert (campaign.name, campaign.slug, campaign.owner) == (
        "Test campaign",
        "test-campaign",
        organiser,
    )
    assert (campaign.hit_size, campaign.reward, campaign.seed) == (100, Decimal("1.34"), 7)
    assert campaign.videos.count() == 3
    roles = dict(campaign.systems.values_list("name", "role"))
    assert roles == {
        "system-0": "candidate", "system-1": "candidate", "human-a": "reference", "human-b": "human"
    }  # fmt: skip
    assert campaign.systems.get(is_control=True).name == "human-a"
    assert Caption.objects.filter(video__campaign=campaign).count() == 12


def test_videos_are_probed_stored_and_get_a_poster(folder, organiser):
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    video = campaign.videos.get(name="v001")
    assert (video.codec, video.width, video.height) == ("h264", 64, 48)
    assert video.duration == pytest.approx(1.0, abs=0.15)
    assert video.file.open().read() == (folder / "v001.mp4").read_bytes()
    assert video.poster.open().read().startswith(b"\xff\xd8")


def test_importing_twice_changes_nothing(folder, organiser):
    first = campaign_import(reading=read_campaign(folder), owner=organiser)
    before = files_below(django_settings.MEDIA_ROOT)
    second = campaign_import(reading=read_campaign(folder), owner=organiser)
    assert second.pk == first.pk
    assert (Campaign.objects.count(), Video.objects.count(), Caption.objects.count()) == (1, 3, 12)
    assert files_below(django_settings.MEDIA_ROOT) == before


def test_a_zip_is_the_same_campaign_as_its_folder(folder, organiser, tmp_path):
    first = campaign_import(reading=read_campaign(folder), owner=organiser)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    reading = read_campaign(make_zip(folder), workspace=workspace)
    assert campaign_import(reading=reading, owner=organiser).pk == first.pk


def test_other_files_under_the_same_name_are_refused(folder, organiser):
    campaign_import(reading=read_campaign(folder), owner=organiser)
    make_folder(folder, videos=2, systems=2, clips=True)
    with pytest.raises(DomainError, match="already have a campaign called"):
        campaign_import(reading=read_campaign(folder), owner=organiser)


def test_two_people_can_import_the_same_files(folder, organiser):
    first = campaign_import(reading=read_campaign(folder), owner=organiser)
    second = campaign_import(reading=read_campaign(folder), owner=make_user("organisers"))
    assert (first.slug, second.slug) == ("test-campaign", "test-campaign-2")


def test_a_campaign_called_import_does_not_hide_the_import_page(tmp_path, organiser):
    folder = make_folder(tmp_path / "campaign", videos=2, systems=1, name="Import")
    assert campaign_import(reading=read_campaign(folder), owner=organiser).slug == "import-2"


def test_faults_leave_no_row_and_no_file(folder, organiser):
    (folder / "v002.mp4").write_bytes(b"")
    with pytest.raises(DomainError, match="nothing was saved"):
        campaign_import(reading=read_campaign(folder), owner=organiser)
    assert not Campaign.objects.exists()
    assert files_below(django_settings.MEDIA_ROOT) == []


def test_a_failure_half_way_leaves_no_row_and_no_file(folder, organiser):
    reading = read_campaign(folder)
    with (folder / "captions.csv").open("a") as stream:
        stream.write("v000,late,Added after the check.\n")
    with pytest.raises(DomainError, match=r"captions\.csv has changed"):
        campaign_import(reading=reading, owner=organiser)
    assert not Campaign.objects.exists()
    assert not System.objects.exists()
    assert files_below(django_settings.MEDIA_ROOT) == []


def test_a_video_that_vanished_after_the_check_is_named(folder, organiser):
    reading = read_campaign(folder)
    (folder / "v002.mp4").unlink()
    with pytest.raises(DomainError, match=r"v002\.mp4"):
        campaign_import(reading=reading, owner=organiser)
    assert not Campaign.objects.exists()
    assert files_below(django_settings.MEDIA_ROOT) == []


def meanwhile(monkeypatch, act):
    """Do something after the campaign was looked for and before it is written."""
    write = importing._rows_create

    def late(*arguments):
        monkeypatch.setattr(importing, "_rows_create", write)
        act()
        return write(*arguments)

    monkeypatch.setattr(importing, "_rows_create", late)


def test_two_imports_of_the_same_files_at_once_give_one_campaign(folder, organiser, monkeypatch):
    reading, made = read_campaign(folder), []
    meanwhile(monkeypatch, lambda: made.append(campaign_import(reading=reading, owner=organiser)))
    assert campaign_import(reading=reading, owner=organiser) == made[0]
    assert Campaign.objects.count() == 1
    assert len(files_below(django_settings.MEDIA_ROOT)) == 6


def test_another_campaign_of_that_name_at_once_is_a_sentence(folder, organiser, monkeypatch):
    taken = {"name": "Test campaign", "slug": "taken", "source_digest": "0" * 64}
    meanwhile(monkeypatch, lambda: Campaign.objects.create(owner=organiser, **taken))
    with pytest.raises(DomainError, match="already have a campaign called"):
        campaign_import(reading=read_campaign(folder), owner=organiser)
    assert files_below(django_settings.MEDIA_ROOT) == []


def test_a_video_is_stored_under_what_it_is_not_what_it_was_called(folder, organiser):
    odd = f"v000.{'x' * 240}"
    (folder / "v000.mp4").rename(folder / odd)
    table = folder / "videos.csv"
    table.write_text(table.read_text().replace("v000.mp4", odd))
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    assert campaign.videos.get(name="v000").file.name.endswith(".mp4")


def test_progress_is_told_to_the_end(folder, organiser):
    told = []
    campaign_import(
        reading=read_campaign(folder), owner=organiser, progress=lambda *step: told.append(step)
    )
    assert ("Storing videos", 3, 3) in told
    assert ("Writing captions", 12, 12) in told


def test_the_command_imports_for_the_only_account(folder, organiser):
    assert "/campaigns/test-campaign/" in import_command(str(folder))
    assert Campaign.objects.get().owner == organiser


def test_the_command_only_checks_when_asked(folder):
    assert "3 videos, 4 systems, 12 captions" in import_command(str(folder), "--check")
    assert not Campaign.objects.exists()


def test_the_command_names_every_fault_and_exits_with_2(folder, organiser):
    (folder / "v002.mp4").unlink()
    with (folder / "captions.csv").open("a") as stream:
        stream.write("v999,system-0,Of no video we know.\nv000,system-0,A second one.\n")
    err = StringIO()
    with pytest.raises(CommandError, match="3 errors") as refusal:
        call_command("import_campaign", str(folder), stdout=StringIO(), stderr=err)
    assert refusal.value.returncode == 2
    for needle in ("v002.mp4", "captions.csv, line 8", "v999", "line 9"):
        assert needle in err.getvalue()
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(("people", "arguments", "sentence"), [
    (0, [], "createsuperuser"), (2, [], "--owner"), (1, ["--owner", "nobody"], "no account called"),
    (1, ["--owner", "\udcff"], "no account called"),
])  # fmt: skip
def test_the_command_needs_to_know_whose_campaign_it_is(folder, people, arguments, sentence):
    for _ in range(people):
        make_user("organisers")
    with pytest.raises(CommandError, match=sentence) as refusal:
        import_command(str(folder), *arguments)
    assert refusal.value.returncode == 2
