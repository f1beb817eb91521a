"""Loading open_clip models from every kind of file, and reading out their tokens.

The weights are random: these tests are about loading and arithmetic, no score is shown to anyone.
"""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from analysis.metrics.encoding.models import ModelChoice, ModelRef, find_model
from analysis.metrics.registry import MetricUnavailable
from tests.analysis.metrics.conftest import TINY_RESNET, TINY_VIT, save_safetensors

TEXTS = ["a dog", "a man is riding a horse on the beach!", "word " * 300, "X"]


@pytest.fixture(scope="module")
def open_clip():
    from analysis.metrics.encoding.torch_models.libraries import open_clip

    return open_clip


@pytest.fixture(scope="module")
def vit(model_folder):
    return model_folder(TINY_VIT)


@pytest.fixture(scope="module")
def encoders(vit):
    return find_model(ModelChoice(str(vit))).load("cpu")


@pytest.fixture
def pictures():
    rng = np.random.default_rng(1)
    return [Image.fromarray(rng.integers(0, 255, (40, 60, 3), np.uint8)) for _ in range(5)]


@pytest.fixture(scope="module")
def own_architecture(open_clip, tmp_path_factory):
    """Architectures of our own under names that open_clip knows, as built-in ones are."""
    folder = tmp_path_factory.mktemp("architectures")
    for name, config in (("tiny-vit", TINY_VIT), ("tiny-resnet", TINY_RESNET)):
        (folder / f"{name}.json").write_text(json.dumps(config))
    open_clip.add_model_config(folder)


def raw_model(open_clip, folder, config):
    from safetensors.torch import load_file

    model = open_clip.CLIP(**config).eval()
    model.load_state_dict(load_file(folder / "open_clip_model.safetensors"))
    return model


def test_the_last_token_is_the_sentence_as_open_clip_computes_it(encoders, vit, open_clip):
    model = raw_model(open_clip, vit, TINY_VIT)
    expected = model.encode_text(open_clip.get_tokenizer("ViT-B-32")(TEXTS), normalize=True)
    for embedding, sentence in zip(
        encoders.encode_texts(TEXTS), expected.detach().numpy(), strict=True
    ):
        np.testing.assert_allclose(embedding.vectors[-1], sentence, atol=1e-5)


def test_every_token_counts_from_start_to_end_and_no_padding(encoders):
    short, long, cut, _ = encoders.encode_texts(TEXTS)
    assert short.marks.tolist() == [49406, 320, 1929, 49407]  # CLIP's numbers for "a dog"
    assert len(long.vectors) == len(long.marks) == 12
    assert len(cut.marks) == 77
    assert cut.marks[-1] == 49407
    for embedding in (short, long, cut):
        np.testing.assert_allclose(np.linalg.norm(embedding.vectors, axis=1), 1, atol=1e-5)


def test_tokens_are_projected_like_the_sentence(encoders, vit, open_clip):
    """Equation 3 of the paper, token by token, at the full length of the context."""
    model = raw_model(open_clip, vit, TINY_VIT)
    ids = open_clip.get_tokenizer("ViT-B-32")(TEXTS[:2])
    hidden = model.token_embedding(ids) + model.positional_embedding
    hidden = model.ln_final(model.transformer(hidden, attn_mask=model.attn_mask))
    projected = (hidden @ model.text_projection).detach().numpy()
    projected /= np.linalg.norm(projected, axis=-1, keepdims=True)
    for row, embedding in enumerate(encoders.encode_texts(TEXTS[:2])):
        np.testing.assert_allclose(
            embedding.vectors, projected[row, : len(embedding.marks)], atol=1e-5
        )


def test_neighbours_in_the_batch_have_no_effect(encoders, pictures):
    alone = [encoders.encode_texts([text])[0].vectors for text in TEXTS]
    together = [embedding.vectors for embedding in encoders.encode_texts(TEXTS)]
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    prepared = [encoders.prepare(picture) for picture in pictures]
    singly = np.concatenate([encoders.encode_images([picture]) for picture in prepared])
    np.testing.assert_allclose(encoders.encode_images(prepared), singly, atol=1e-5)


@pytest.mark.slow
def test_images_are_embedded_as_open_clip_does(encoders, vit, open_clip, pictures):
    import torch

    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{vit}")
    with torch.inference_mode():
        batch = torch.stack([preprocess(picture) for picture in pictures])
        expected = model.eval().encode_image(batch, normalize=True).numpy()
    found = encoders.encode_images([encoders.prepare(picture) for picture in pictures])
    np.testing.assert_allclose(found, expected, atol=1e-6)


def assert_same_model(model: ModelRef, folder, pictures):
    expected = find_model(ModelChoice(str(folder))).load("cpu")
    found = model.load("cpu")
    prepared = [expected.prepare(picture) for picture in pictures]
    np.testing.assert_allclose(
        found.encode_images([found.prepare(picture) for picture in pictures]),
        expected.encode_images(prepared),
        atol=1e-5,
    )
    for one, other in zip(found.encode_texts(TEXTS), expected.encode_texts(TEXTS), strict=True):
        np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-5)


@pytest.mark.parametrize(("name", "config"), [("tiny-vit", TINY_VIT), ("tiny-resnet", TINY_RESNET)])
@pytest.mark.parametrize("kind", ["safetensors", "pt", "training"])
def test_checkpoints_come_back_as_they_were_saved(
    model_folder, open_clip, own_architecture, pictures, tmp_path, name, config, kind
):
    import torch

    folder = model_folder(config, seed=3)
    state = raw_model(open_clip, folder, config).state_dict()
    if kind == "safetensors":
        file = tmp_path / "weights.safetensors"
        save_safetensors(state, file)
    else:
        file = tmp_path / "weights.pt"
        wrapped = {"epoch": 3, "state_dict": {f"module.{k}": v for k, v in state.items()}}
        torch.save(state if kind == "pt" else wrapped, file)
    assert_same_model(find_model(ModelChoice(name, str(file))), folder, pictures)


def test_openais_archives_are_read_with_their_quick_gelu(
    model_folder, open_clip, own_architecture, pictures, tmp_path
):
    import torch

    config = TINY_VIT | {"quick_gelu": True}
    folder = model_folder(config, seed=4)
    file = tmp_path / "ViT.pt"
    torch.jit.save(torch.jit.script(raw_model(open_clip, folder, config)), file)
    assert_same_model(find_model(ModelChoice("tiny-vit", str(file))), folder, pictures)


def test_cloob_comes_through_the_same_door(
    model_folder, open_clip, own_architecture, pictures, tmp_path
):
    """Names as in the checkpoints of ml-jku/cloob: the text tower is called transformer."""
    import torch

    config = TINY_RESNET | {"quick_gelu": True}
    folder = model_folder(config, seed=5)
    state = {"module.logit_scale_hopfield": torch.tensor(8.0)}
    for name, tensor in raw_model(open_clip, folder, config).state_dict().items():
        if name == "logit_scale":
            state["module.logit_inv_tau"] = tensor
        else:
            state[f"module.{name if name.startswith('visual.') else f'transformer.{name}'}"] = (
                tensor
            )
    file = tmp_path / "cloob.pt"
    torch.save({"state_dict": state, "model_config_file": "RN50.json"}, file)
    assert_same_model(find_model(ModelChoice("cloob:tiny-resnet", str(file))), folder, pictures)


def test_a_folder_may_bring_its_own_vocabulary(model_folder, tmp_path):
    import gzip

    config = TINY_VIT | {"text_cfg": TINY_VIT["text_cfg"] | {"vocab_size": 515}}
    folder = model_folder(config)
    (folder / "merges.txt.gz").write_bytes(gzip.compress(b"version\nd o"))
    [embedding] = find_model(ModelChoice(str(folder))).load("cpu").encode_texts(["do"])
    assert embedding.marks.tolist()[0] == 513
    assert embedding.marks.tolist()[-1] == 514


@pytest.mark.parametrize(
    ("model", "weights", "message"),
    [
        ("tiny-vit", "resnet.pt", "the weights do not fit"),
        ("tiny-vit", "garbage.pt", "the weights do not fit"),
        ("tiny-vit", "empty.safetensors", "the weights do not fit"),
        ("no-such-model", "resnet.pt", "knows no architecture 'no-such-model'"),
        ("cloob:tiny-resnet", "garbage.pt", "the weights do not fit"),
    ],
)
def test_weights_that_do_not_fit_are_one_sentence(
    model_folder, open_clip, own_architecture, tmp_path, model, weights, message
):
    import torch

    state = raw_model(open_clip, model_folder(TINY_RESNET), TINY_RESNET).state_dict()
    torch.save(state, tmp_path / "resnet.pt")
    (tmp_path / "garbage.pt").write_bytes(b"nonsense")
    (tmp_path / "empty.safetensors").touch()
    with pytest.raises(MetricUnavailable, match=message) as unavailable:
        find_model(ModelChoice(model, str(tmp_path / weights))).load("cpu")
    assert "\n" not in str(unavailable.value)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (ModelChoice("ViT-B-32"), "needs weights"),
        (ModelChoice("ViT-B-32", "no-such-tag"), "neither a file nor weights"),
        (ModelChoice("cloob:RN50", "missing.pt"), "there is no file 'missing.pt'"),
    ],
)
def test_a_model_without_weights_is_refused(choice, message):
    """Scores from random weights would look like scores."""
    with pytest.raises(MetricUnavailable, match=message):
        find_model(choice)


def test_a_folder_must_hold_a_model(tmp_path, vit):
    with pytest.raises(MetricUnavailable, match=r"holds no open_clip_config\.json"):
        find_model(ModelChoice(str(tmp_path)))
    shutil.copy(vit / "open_clip_config.json", tmp_path)
    with pytest.raises(MetricUnavailable, match="holds no weights"):
        find_model(ModelChoice(str(tmp_path)))


def test_a_fingerprint_changes_with_the_weights_and_not_with_the_place(model_folder, vit, tmp_path):
    moved = tmp_path / vit.name
    shutil.copytree(vit, moved)
    own = find_model(ModelChoice(str(vit))).fingerprint
    assert find_model(ModelChoice(str(moved))).fingerprint == own
    other = tmp_path / "other" / vit.name
    shutil.copytree(model_folder(TINY_VIT, seed=9), other)
    assert find_model(ModelChoice(str(other))).fingerprint != own


def test_a_tower_that_ends_otherwise_gives_the_sentence_alone(open_clip, encoders):
    """SigLIP-like encoders read out at their last position: no vector stands for a token."""
    from analysis.metrics.encoding.torch_models.image_text import ImageTextModel

    text = TINY_VIT["text_cfg"] | {"no_causal_mask": True, "pool_type": "last"}
    model = open_clip.model.CustomTextCLIP(**(TINY_VIT | {"text_cfg": text})).eval()
    tokenizer = open_clip.get_tokenizer("ViT-B-32")
    other = ImageTextModel(model, tokenizer, "cpu")
    assert encoders.gives_tokens
    assert not other.gives_tokens
    expected = model.encode_text(tokenizer(TEXTS), normalize=True).detach().numpy()
    for embedding, sentence in zip(other.encode_texts(TEXTS), expected, strict=True):
        assert embedding.marks.tolist() == [-1]
        np.testing.assert_allclose(embedding.vectors[0], sentence, atol=1e-6)
