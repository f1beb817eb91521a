"""From videos and captions to scores through the store, with a model that needs no torch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import GROUP_VIDEOS
from analysis.metrics.registry import families
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from tests.analysis.metrics.pretend import PretendEncoders, pretend_encoder
from tests.clips import make_clip

METRICS = [name for family in families() if "image_text" in family.needs for name in family.metrics]
SYSTEMS = 3


@pytest.fixture(scope="module")
def clips(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("clips")
    return {f"v{n}": make_clip(folder / f"v{n}.mp4", seconds=0.8, shade=n) for n in range(4)}


def make_batch(clips: dict[str, Path], **changes) -> Batch:
    videos = [video for video in clips for _ in range(SYSTEMS)]
    captions = [f"system {n % SYSTEMS} sees {video} and a dog" for n, video in enumerate(videos)]
    references = {
        video: [f"a dog in {video}", "two cats"][: 1 + n % 2] for n, video in enumerate(clips)
    }
    fields = {
        "captions": captions,
        "videos": videos,
        "references": references,
        "corpus": references,
        "files": {video: VideoFile.of(path) for video, path in clips.items()},
    }
    return Batch(**fields | changes)


FOUR = Settings(frames="uniform:4", factvc_frames="uniform:4")


def run(batch: Batch, store: Path, encoders=None, metrics=METRICS, settings=FOUR, **options):
    context = ScoringContext(
        opened={"image_text": pretend_encoder(store, encoders=encoders, **options)}
    )
    unreadable = embed(embeddable(batch, metrics, settings), settings, context)
    return score(batch, metrics, settings, context, unreadable), context.resource("image_text")


def test_every_metric_has_a_value_for_every_caption(clips, tmp_path):
    scores, _ = run(make_batch(clips), tmp_path)
    assert scores.faults == []
    assert set(scores.values) == set(METRICS)
    for name, values in scores.values.items():
        assert np.isfinite(values).all(), name


def test_every_frame_is_embedded_once_for_all_systems_and_metrics(clips, tmp_path):
    encoders = PretendEncoders()
    _, encoder = run(make_batch(clips), tmp_path, encoders)
    embedded = encoder.frames("uniform:4").embedded + encoder.frames("middle").embedded
    assert encoders.images == embedded == (4 + 1) * len(clips)
    assert (
        encoders.texts
        == encoder.texts.embedded
        == len(
            {
                text
                for texts in (make_batch(clips).texts(),)
                for caption in texts
                for text in (caption, f"A photo depicts {caption}")
            }
        )
    )


def test_a_second_run_asks_the_model_nothing_and_gives_the_same_bytes(clips, tmp_path):
    first, _ = run(make_batch(clips), tmp_path)
    encoders = PretendEncoders()
    second, _ = run(make_batch(clips), tmp_path, encoders)
    assert (encoders.images, encoders.texts) == (0, 0)
    for name, values in first.values.items():
        assert values.tobytes() == second.values[name].tobytes()


def test_a_system_added_tomorrow_embeds_only_its_captions(clips, tmp_path):
    run(make_batch(clips), tmp_path)
    batch = make_batch(clips)
    more = make_batch(
        clips,
        captions=[*batch.captions, "a newcomer"],
        videos=[*batch.videos, "v0"],
    )
    encoders = PretendEncoders()
    run(more, tmp_path, encoders)
    assert (encoders.images, encoders.texts) == (
        0,
        2,
    )  # the caption, and with CLIPScore's words before


def test_a_run_that_was_killed_ends_with_the_same_bytes(tmp_path):
    """Killed in the middle of the second group of videos; the first is in the store."""
    folder = tmp_path / "clips"
    folder.mkdir()
    clips = {
        f"v{n:02}": make_clip(folder / f"v{n}.mp4", seconds=0.3, shade=n)
        for n in range(GROUP_VIDEOS + 3)
    }
    batch = make_batch(clips)
    dying = PretendEncoders()
    dying.dies_after = 3 * GROUP_VIDEOS
    metrics, three = ["clip_mean", "emscore"], Settings(frames="uniform:3")
    with pytest.raises(KeyboardInterrupt):
        run(batch, tmp_path / "killed", dying, metrics, three)
    survivor = PretendEncoders()
    again, _ = run(batch, tmp_path / "killed", survivor, metrics, three)
    assert survivor.images == 3 * 3
    fresh, _ = run(batch, tmp_path / "fresh", None, metrics, three)
    for name, values in fresh.values.items():
        assert values.tobytes() == again.values[name].tobytes(), name


def test_a_video_that_cannot_be_read_costs_its_own_values_only(clips, tmp_path):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(clips["v1"].read_bytes()[:700])
    files = {video: VideoFile.of(path) for video, path in clips.items()}
    files |= {"v1": VideoFile.of(broken), "v2": VideoFile.of(tmp_path / "missing.mp4")}
    del files["v3"]
    batch = make_batch(clips, files=files)
    scores, _ = run(batch, tmp_path / "store", metrics=["clip_mean", "emscore_text", "emscore"])
    assert np.isfinite(scores.values["clip_mean"]).tolist() == [True] * 3 + [False] * 9
    assert np.isfinite(scores.values["emscore_text"]).all()
    messages = {fault.video: str(fault) for fault in scores.faults}
    assert set(messages) == {"v1", "v2", "v3"}
    assert "v1: it " in messages["v1"]
    assert messages["v2"] == "video v2: there is no such file (clip_mean, emscore)"
    assert "no video file was given" in messages["v3"]


def test_the_same_file_under_two_names_is_embedded_once(clips, tmp_path):
    files = {video: VideoFile.of(clips["v0"]) for video in clips}
    encoders = PretendEncoders()
    scores, _ = run(make_batch(clips, files=files), tmp_path, encoders, metrics=["clip_mean"])
    assert encoders.images == 4
    assert np.isfinite(scores.values["clip_mean"]).all()


def test_other_frames_are_other_embeddings(clips, tmp_path):
    run(make_batch(clips), tmp_path, metrics=["clip_mean"])
    encoders = PretendEncoders()
    scores, _ = run(make_batch(clips), tmp_path, encoders, ["clip_mean"], Settings(frames="all"))
    assert encoders.images == 8 * len(clips)
    assert "frames:all" in scores.signatures["clip_mean"]


def test_half_precision_changes_little_and_is_told(clips, tmp_path):
    full, _ = run(make_batch(clips), tmp_path)
    half, _ = run(make_batch(clips), tmp_path, dtype="float16")
    for name, values in full.values.items():
        np.testing.assert_allclose(half.values[name], values, atol=4e-3, err_msg=name)
    assert "float16" in half.signatures["emscore"]
    assert full.signatures["emscore"] != half.signatures["emscore"]


def test_pools_are_what_their_names_say(clips, tmp_path):
    batch = make_batch(clips)
    scores, encoder = run(batch, tmp_path, settings=Settings(frames="all", neighbours=2))
    for row, (caption, video) in enumerate(zip(batch.captions, batch.videos, strict=True)):
        frames = np.asarray(encoder.frames("all")[batch.files[video]].vectors, np.float64)
        cosines = frames @ np.asarray(encoder.texts[caption].vectors[-1], np.float64)
        values = {name: value[row] for name, value in scores.values.items()}
        assert values["clip_image"] == pytest.approx(cosines[len(cosines) // 2], abs=1e-5)
        assert values["clip_mean"] == pytest.approx(cosines.mean(), abs=1e-5)
        assert values["clip_max"] == pytest.approx(cosines.max(), abs=1e-5)
        assert values["clip_min"] == pytest.approx(cosines.min(), abs=1e-5)
        assert values["clip_knn"] == pytest.approx(np.sort(cosines)[-2:].mean(), abs=1e-5)
        assert cosines.min() <= values["clip_kmeans"] <= cosines.max()


def test_with_references_the_nearest_of_them_is_added(clips, tmp_path):
    batch = make_batch(clips)
    scores, encoder = run(batch, tmp_path)
    for row, (caption, video) in enumerate(zip(batch.captions, batch.videos, strict=True)):
        own = np.asarray(encoder.texts[caption].vectors[-1], np.float64)
        nearest = max(
            float(own @ np.asarray(encoder.texts[text].vectors[-1], np.float64))
            for text in batch.references[video]
        )
        added = scores.values["clip_mean+ref"][row] - scores.values["clip_mean"][row]
        assert added == pytest.approx(nearest, abs=1e-5)


def test_clipscore_is_two_and_a_half_times_the_cosine_and_refclipscore_the_harmonic_mean(
    clips, tmp_path
):
    batch = make_batch(clips)
    scores, encoder = run(batch, tmp_path)
    for row, (caption, video) in enumerate(zip(batch.captions, batch.videos, strict=True)):

        def vector(text):
            return np.asarray(encoder.texts[f"A photo depicts {text}"].vectors[-1], np.float64)

        frames = np.asarray(encoder.frames("uniform:4")[batch.files[video]].vectors, np.float64)
        whole = frames.mean(axis=0) / np.linalg.norm(frames.mean(axis=0))
        clip_s = 2.5 * max(float(vector(caption) @ whole), 0)
        nearest = max(0, *(float(vector(caption) @ vector(t)) for t in batch.references[video]))
        assert scores.values["clipscore"][row] == pytest.approx(clip_s, abs=1e-5)
        harmonic = 2 * clip_s * nearest / (clip_s + nearest)
        assert scores.values["refclipscore"][row] == pytest.approx(harmonic, abs=1e-5)


def test_the_two_sides_of_emscore_and_factvc_are_averaged(clips, tmp_path):
    alike = Settings(frames="uniform:4", factvc_frames="uniform:4", factvc_idf="authors")
    values = run(make_batch(clips), tmp_path, settings=alike)[0].values
    for part in ("", "_c", "_p", "_r", "_f"):
        mean = (values[f"emscore{part}"] + values[f"emscore_text{part}"]) / 2
        np.testing.assert_allclose(values[f"emscore_ref{part}"], mean)
    np.testing.assert_allclose(
        values["factvc"], 0.25 * values["emscore_c"] + 0.75 * values["emscore_p"]
    )
    np.testing.assert_allclose(
        values["factvc_both"], (values["factvc"] + values["factvc_text"]) / 2
    )


def test_without_references_rare_tokens_are_counted_in_the_captions(clips, tmp_path):
    batch = make_batch(clips, references={}, corpus={})
    scores, _ = run(batch, tmp_path, metrics=["emscore", "factvc"])
    assert np.isfinite(scores.values["emscore"]).all()
    equal, _ = run(batch, tmp_path, metrics=["emscore"], settings=replace(FOUR, idf="none"))
    assert not np.allclose(scores.values["emscore"], equal.values["emscore"])


class ShortSighted(PretendEncoders):
    """Reads 75 words and no more, as CLIP would; its words are their own tokens."""

    def encode_texts(self, texts):
        return super().encode_texts([" ".join(text.split()[:75]) for text in texts])


@pytest.fixture
def no_vocabulary(monkeypatch):
    """The pretended tokens spell nothing: words are counted instead of letters."""
    monkeypatch.setattr("analysis.metrics.encoding.encoder.clip_merges", lambda: None)


def test_a_caption_that_cannot_be_read_whole_has_no_value_and_that_is_said(
    clips, tmp_path, no_vocabulary
):
    batch = make_batch(clips)
    long = make_batch(clips, captions=["word " * 10_000, *batch.captions[1:]])
    scores, _ = run(long, tmp_path, ShortSighted(), metrics=["emscore"])
    assert np.isnan(scores.values["emscore"]).tolist() == [True] + [False] * (len(long) - 1)
    [fault] = scores.faults
    assert fault.message.startswith("1 caption is longer than the image-text model reads")
    assert "--paragraphs sentences" in fault.message


def test_sentence_by_sentence_a_paragraph_is_read_whole(clips, tmp_path, no_vocabulary):
    """A caption's value is the mean of its sentences' values (emscore-2022, §5.2)."""
    sentences = [f"{'dog ' * 30}number {n}." for n in range(4)]
    batch = make_batch(clips)
    paragraph = make_batch(clips, captions=[" ".join(sentences), *batch.captions[1:]])
    by_sentences = replace(FOUR, paragraphs="sentences", idf="none", factvc_idf="none")
    scores, _ = run(paragraph, tmp_path, ShortSighted(), METRICS, by_sentences)
    assert scores.faults == []
    assert "paragraphs:sentences" in scores.signatures["emscore"]
    alone = make_batch(
        clips, captions=sentences, videos=[batch.videos[0]] * 4, references=batch.references
    )
    single, _ = run(
        alone, tmp_path, ShortSighted(), METRICS, replace(by_sentences, paragraphs="whole")
    )
    for name in METRICS:
        assert scores.values[name][0] == pytest.approx(single.values[name].mean(), abs=1e-6), name


def test_without_a_model_the_text_metrics_go_on(clips):
    scores = score(make_batch(clips), ["clip_mean", "bleu1"], Settings(), ScoringContext())
    assert np.isfinite(scores.values["bleu1"]).all()
    [fault] = scores.faults
    assert "no image-text model" in fault.message


def test_scoring_from_the_store_needs_no_torch(clips, tmp_path):
    """What is embedded can be scored, and shown, on a machine without torch."""
    run(make_batch(clips), tmp_path)
    code = f"""
import sys
from pathlib import Path

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ImportError("torch is not installed")

sys.meta_path.insert(0, NoTorch())
from tests.analysis.metrics.test_vision_scoring import make_batch, run
folder = Path({str(clips["v0"].parent)!r})
clips = {{video: folder / f"{{video}}.mp4" for video in {list(clips)}}}
scores, encoder = run(make_batch(clips), Path({str(tmp_path)!r}))
assert not scores.faults, scores.faults
assert encoder.frames("uniform:4").embedded == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_middle_frame_is_the_middle_whatever_frames_others_see(tmp_path):
    """vision-language-2022, equation 1: frame 125 of 250, not the eighth of sixteen."""
    clip = make_clip(tmp_path / "v.mp4", seconds=3)
    batch = Batch(["a dog"], ["v"], {}, {}, {"v": VideoFile.of(clip)})
    scores, encoder = run(batch, tmp_path, metrics=["clip_image"], settings=Settings())
    every = frames_of(encoder, batch, "all")
    middle = every[len(every) // 2] @ np.asarray(encoder.texts["a dog"].vectors[-1], np.float64)
    assert scores.values["clip_image"][0] == pytest.approx(middle, abs=1e-6)
    assert len(every) == 30
    other, _ = run(batch, tmp_path, metrics=["clip_image"], settings=Settings(frames="uniform:2"))
    assert other.values["clip_image"][0] == scores.values["clip_image"][0]
    assert other.signatures == scores.signatures


def frames_of(encoder, batch, chosen):
    frames = encoder.frames(chosen)
    frames.embed(batch.files)
    return np.asarray(frames[batch.files["v"]].vectors, np.float64)


def test_factvc_has_weights_and_frames_of_its_own(clips, tmp_path):
    """Its authors' code: [SOS] and [EOS] weigh nothing, one frame a second; EMScore's stay."""
    scores, _ = run(make_batch(clips), tmp_path, metrics=["emscore", "factvc"], settings=Settings())
    assert "|factvc_idf:factvc|" in scores.signatures["factvc"]
    assert "|factvc_frames:fps:1|" in scores.signatures["factvc"]
    assert "|idf:authors|" in scores.signatures["emscore"]
    assert "|frames:uniform:16|" in scores.signatures["emscore"]
    same = Settings(idf="factvc", frames="fps:1", factvc_idf="paper")
    parts, _ = run(make_batch(clips), tmp_path, metrics=["emscore_c", "emscore_p"], settings=same)
    expected = 0.25 * parts.values["emscore_c"] + 0.75 * parts.values["emscore_p"]
    np.testing.assert_allclose(scores.values["factvc"], expected)


def test_the_paper_weighs_all_tokens_of_factvc_alike(clips, tmp_path):
    paper = replace(FOUR, factvc_idf="none", idf="none")
    values = run(make_batch(clips), tmp_path, settings=paper)[0].values
    np.testing.assert_allclose(
        values["factvc"], 0.25 * values["emscore_c"] + 0.75 * values["emscore_p"]
    )
