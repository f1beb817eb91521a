"""Language models by folder: translators that paraphrase, and a judge of how well a sentence reads.

Nothing is loaded from anywhere but the folder, and no pickle is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from analysis.metrics.registry import MetricUnavailable, metric_libraries
from daplatform.tables import Columns, Faults, read_table

AT_ONCE: Final = 32
LONGEST: Final = 128
BEAMS: Final = 4

Paraphrases = dict[str, list[str]]


def read_paraphrases(path: Path) -> Paraphrases:
    """A file ``caption,paraphrase``: what others say in place of a caption, any number of each."""
    faults, found = Faults(), Paraphrases()
    for _, (caption, paraphrase) in read_table(path, Columns(("caption", "paraphrase")), faults):
        found.setdefault(caption, []).append(paraphrase)
    faults.refuse()
    return found


def back_translations(texts: Iterable[str], there: Path, back: Path) -> Paraphrases:
    """Each text in another language and back again, where that changes it (factvc-2023 §4.1)."""
    wanted = sorted(set(texts), key=lambda text: (len(text), text))
    home = Translator(back)(Translator(there)(wanted))
    pairs = zip(wanted, home, strict=True)
    return {text: [said] for text, said in pairs if said and said.lower() != text.lower()}


def together(tables: Iterable[Mapping[str, Sequence[str]]]) -> Paraphrases:
    """All paraphrases of each text, each once.

    >>> together([{"a dog": ["one dog"]}, {"a dog": ["the dog", "one dog"]}])
    {'a dog': ['one dog', 'the dog']}
    """
    found: dict[str, dict[str, None]] = {}
    for table in tables:
        for text, said in table.items():
            found.setdefault(text, {}).update(dict.fromkeys(said))
    return {text: list(said) for text, said in found.items()}


class Translator:
    """A sequence-to-sequence model; the same folder and text give the same translation."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer, self._model = _load(folder, "AutoModelForSeq2SeqLM")

    def __call__(self, texts: Sequence[str]) -> list[str]:
        import torch

        found: list[str] = []
        for at in range(0, len(texts), AT_ONCE):
            tokens = self._tokens(texts[at : at + AT_ONCE])
            with torch.inference_mode():
                said = self._model.generate(
                    **tokens, num_beams=BEAMS, do_sample=False, max_new_tokens=LONGEST
                )
            found += self._tokenizer.batch_decode(said, skip_special_tokens=True)
        return [" ".join(text.split()) for text in found]

    def _tokens(self, texts: Sequence[str]) -> Any:
        tokens = self._tokenizer(
            list(texts), return_tensors="pt", padding=True, truncation=True, max_length=LONGEST
        )
        return {name: tokens[name] for name in ("input_ids", "attention_mask")}


class CausalModel:
    """How usual a sentence is to a causal language model."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer, self._model = _load(folder, "AutoModelForCausalLM")

    def perplexity(self, text: str) -> float:
        """exp of the mean negative log probability of each token but the first."""
        import torch

        tokens = self._tokenizer(text, return_tensors="pt", truncation=True, max_length=LONGEST)
        numbers = tokens["input_ids"]
        if numbers.shape[1] < 2:
            return float("inf")
        with torch.inference_mode():
            loss = self._model(input_ids=numbers, labels=numbers).loss
        return float(np.exp(float(loss)))


def _load(folder: Path, kind: str) -> tuple[Any, Any]:
    with metric_libraries():
        from analysis.metrics.encoding.torch_models.libraries import import_torchvision

        import_torchvision()
        import transformers
    if not any(folder.glob("*.safetensors")):
        raise MetricUnavailable(f"the folder {folder} holds no weights as safetensors")
    try:
        tokenizer, model = (
            getattr(transformers, name).from_pretrained(folder, local_files_only=True, **options)
            for name, options in (("AutoTokenizer", {}), (kind, {"use_safetensors": True}))
        )
    except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
        raise MetricUnavailable(f"the language model {folder} does not load: {error}") from error
    return tokenizer, model.eval()
