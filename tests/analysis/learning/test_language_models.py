"""Translators and readers by folder: small ones with random weights stand in for real ones."""

from __future__ import annotations

import csv
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.learning.language_models import (
    CausalModel,
    Translator,
    back_translations,
    read_paraphrases,
)
from analysis.learning.transformations import make_triples
from analysis.metrics.registry import MetricUnavailable
from daplatform.tables import TableError

torch = pytest.importorskip("torch")

WORDS = ["a", "the", "dog", "cat", "man", "woman", "runs", "sleeps", "walks", "red"]


@pytest.fixture(scope="module")
def tokenizer():
    from analysis.metrics.encoding.torch_models.libraries import import_torchvision

    import_torchvision()
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    marks = ["[PAD]", "[UNK]", "[BOS]", "[EOS]"]
    vocabulary = {word: at for at, word in enumerate([*marks, *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[BOS] $A [EOS]", special_tokens=[("[BOS]", 2), ("[EOS]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="[PAD]",
        unk_token="[UNK]",
        bos_token="[BOS]",
        eos_token="[EOS]",
    )


@pytest.fixture(scope="module")
def translators(tokenizer, tmp_path_factory):
    """The one says nothing but cat, whatever it is told, the other nothing but dog."""
    from transformers import BartConfig, BartForConditionalGeneration

    folders = []
    for word in ("cat", "dog"):
        layers = {"encoder_layers": 1, "decoder_layers": 1}
        heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
        config = BartConfig(
            vocab_size=len(tokenizer), d_model=16, encoder_ffn_dim=16, decoder_ffn_dim=16,
            max_position_embeddings=256, pad_token_id=0, bos_token_id=2,
            eos_token_id=3, decoder_start_token_id=2, forced_eos_token_id=3, **layers, **heads,
        )  # fmt: skip
        folder = tmp_path_factory.mktemp("translator") / word
        model = BartForConditionalGeneration(config)
        model.final_logits_bias[0, tokenizer.convert_tokens_to_ids(word)] = 50.0
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        folders.append(folder)
    return folders


@pytest.fixture(scope="module")
def reader(tokenizer, tmp_path_factory):
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("reader") / "gpt"
    config = GPT2Config(vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=64)
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class TestBackTranslation:
    def test_it_goes_there_and_back(self, translators):
        assert set(Translator(translators[0])(["a dog runs"])[0].split()) == {"cat"}
        found = back_translations(["a dog runs", "the cat sleeps"], *translators)
        assert set(found) == {"a dog runs", "the cat sleeps"}
        assert {word for [said] in found.values() for word in said.split()} == {"dog"}

    def test_what_comes_back_as_it_was_is_no_paraphrase(self, translators):
        said = Translator(translators[1])(["a dog runs"])[0]
        assert back_translations([said], *translators) == {}

    def test_paraphrases_of_a_table_become_triples_of_their_own(self, tmp_path):
        table = tmp_path / "paraphrases.csv"
        table.write_text("caption,paraphrase\nA man runs.,A guy is running.\n")
        rng = np.random.default_rng(1)
        found = make_triples({"v": ["A man runs."]}, rng, paraphrases=read_paraphrases(table))
        assert {triple.true for triple in found} == {"A man runs.", "A guy is running."}

    def test_a_table_of_something_else_is_refused(self, tmp_path):
        (tmp_path / "wrong.csv").write_text("video,text\n1,a dog\n")
        with pytest.raises(TableError, match="caption"):
            read_paraphrases(tmp_path / "wrong.csv")

    def test_a_folder_without_safetensors_is_refused(self, tmp_path):
        (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
        with pytest.raises(MetricUnavailable, match="safetensors"):
            Translator(tmp_path)


class TestCausalModel:
    def test_perplexity_is_that_of_the_probabilities_of_its_tokens(self, reader, tokenizer):
        from transformers import GPT2LMHeadModel

        model = GPT2LMHeadModel.from_pretrained(reader).eval()
        numbers = tokenizer("a dog runs", return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            logs = torch.log_softmax(model(numbers).logits[0], dim=-1)
        tokens = numbers[0].tolist()
        own = [float(logs[at - 1, tokens[at]]) for at in range(1, len(tokens))]
        expected = np.exp(-np.mean(own))
        assert CausalModel(reader).perplexity("a dog runs") == pytest.approx(expected, rel=1e-5)

    def test_it_picks_the_foil_that_reads_best(self, reader, tmp_path):
        references = tmp_path / "references.csv"
        rows = [("1", "A", "a man runs"), ("2", "A", "a woman runs"), ("3", "A", "a dog runs")]
        rows += [("4", "A", "a cat runs")]
        with references.open("w", newline="") as file:
            csv.writer(file).writerows([("video", "source", "caption"), *rows])
        words = tmp_path / "concepts.csv"
        words.write_text("word,category\nman,one\nwoman,one\ndog,one\ncat,one\n")
        call_command(
            "make_distractors", "foils", str(references), "--concepts", str(words), "--fewest", "1",
            "--language-model", str(reader), "--out", str(tmp_path / "foils.csv"),
            stdout=StringIO(),
        )  # fmt: skip
        with (tmp_path / "foils.csv").open() as file:
            made = {row["video"]: row["foil"] for row in csv.DictReader(file)}
        model = CausalModel(reader)
        others = [f"a {word} runs" for word in ("woman", "dog", "cat")]
        assert made["1"] == min(others, key=model.perplexity)

    def test_a_folder_of_nothing_is_refused(self, tmp_path):
        references = tmp_path / "references.csv"
        references.write_text("video,source,caption\n1,A,a man runs\n")
        (tmp_path / "empty").mkdir()
        with pytest.raises(CommandError, match="safetensors") as refused:
            call_command(
                "make_distractors", "foils", str(references), "--out", str(tmp_path / "f.csv"),
                "--language-model", str(tmp_path / "empty"),
            )  # fmt: skip
        assert refused.value.returncode == 2
