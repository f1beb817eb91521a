"""What an analyst may choose on the pages of results and metrics."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field
from pathlib import Path
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet

from analysis.evaluation.settings import Choices as EvaluationChoices
from analysis.metrics.encoding.models import ModelChoice
from analysis.metrics.files import as_texts, read_references
from analysis.metrics.scoring import label_checked
from analysis.metrics.settings import SETTINGS
from analysis.metrics.settings import Settings as MetricSettings
from analysis.presenting.listings import FLAGS
from analysis.results.pipeline import Settings
from analysis.services.metric_runs import Corpus
from daplatform.tables import Faults
from hits.models import Campaign

DEFAULTS = Settings()
# Each that is asked for is computed and kept: so there are these, on pages and for scripts.
LEVELS = (0.05, 0.01, 0.001, 0.1)
PAIRS = (0, 5, 10, 20)
EVALUATION = EvaluationChoices()


def whose_ratings() -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False,
        choices=[("passed", "Those who passed"), ("all", "Everybody")],
        label="Whose ratings",
    )


def level_of(label: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        required=False,
        coerce=float,
        empty_value=None,
        choices=[(f"{level:g}", f"{level:g}") for level in LEVELS],
        label=label,
    )


class ChoicesForm(forms.Form):
    """Choices that change numbers; all optional, the protocol's own by default."""

    annotators = whose_ratings()
    test = forms.ChoiceField(
        required=False,
        choices=[("t", "Paired t-test"), ("wilcoxon", "Wilcoxon signed-rank, exact")],
        label="Quality control",
    )
    basis = forms.ChoiceField(
        required=False,
        choices=[("all", "All ratings"), ("captions", "System captions and repeats")],
        label="Standardised over",
    )
    resample = forms.ChoiceField(
        required=False,
        choices=[("caption", "Captions"), ("annotator", "Annotators")],
        label="Intervals draw",
    )
    runs = forms.ChoiceField(
        required=False,
        choices=[("all", "All"), ("primary", "The primary one")],
        label="Runs of a team",
    )
    quality_alpha = level_of("Level of quality control")
    min_pairs = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=None,
        choices=[
            ("", "As the campaign says"),
            *((f"{pairs}", f"{pairs}" if pairs else "What the test needs") for pairs in PAIRS),
        ],
        label="Pairs needed to decide",
    )
    alpha = level_of("Level of the tests")
    adjust = forms.ChoiceField(
        required=False,
        choices=[("", "Not at all"), ("holm", "Holm"), ("bh", "Benjamini–Hochberg")],
        label="Adjusted for many tests",
    )

    def settings(
        self, *, minimum_pairs: int, further_runs: Callable[[], tuple[str, ...]]
    ) -> Settings:
        """The choices as the analysis wants them; call after `is_valid`.

        ``minimum_pairs`` is what the campaign asks for, where nothing else is chosen;
        ``further_runs`` gives the runs that are not their team's primary one.

        Adjusting changes no score and no rank: every result has all three p values.
        """
        chosen = self.cleaned_data
        return Settings(
            keep_all_annotators=chosen["annotators"] == "all",
            test=chosen["test"] or DEFAULTS.test,
            basis=chosen["basis"] or DEFAULTS.basis,
            resample=chosen["resample"] or DEFAULTS.resample,
            alpha=chosen["alpha"] or DEFAULTS.alpha,
            quality_alpha=chosen["quality_alpha"] or DEFAULTS.quality_alpha,
            minimum_pairs=minimum_pairs if chosen["min_pairs"] is None else chosen["min_pairs"],
            left_out=further_runs() if chosen["runs"] == "primary" else (),
        )


class EvaluationForm(forms.Form):
    """How metrics are held against people; all optional."""

    annotators = whose_ratings()
    human = forms.ChoiceField(
        required=False,
        choices=[("z", "Standardised, z"), ("raw", "Raw")],
        label="Which scores",
    )
    alpha = level_of("Level of the tests")
    direction = forms.ChoiceField(
        required=False,
        choices=[
            ("human_on_metric", "In people’s scores"),
            ("metric_on_human", "In the metric’s scores"),
        ],
        label="Odd captions are far off",
    )
    checks = forms.ChoiceField(
        required=False,
        choices=[
            ("", "From the scores there are"),
            ("all", "Computed again: words shuffled, fewer references, foils"),
        ],
        label="Robustness",
    )

    def wanted(self) -> EvaluationChoices:
        """The choices that change numbers; call after `is_valid`."""
        chosen = self.cleaned_data
        return EvaluationChoices(
            annotators=chosen["annotators"] or EVALUATION.annotators,
            alpha=chosen["alpha"] or EVALUATION.alpha,
            direction=chosen["direction"] or EVALUATION.direction,
            checks=chosen["checks"],
        )


class SetsForm(forms.Form):
    """Which campaigns are held against people together, and how."""

    sets = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        required=False,
        to_field_name="slug",
        label="Together with",
        widget=forms.CheckboxSelectMultiple,
    )
    left_out = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        required=False,
        to_field_name="slug",
        label="Left out of the mean",
        widget=forms.CheckboxSelectMultiple,
    )
    annotators = whose_ratings()
    human = forms.ChoiceField(
        required=False, choices=[("z", "Standardised, z"), ("raw", "Raw")], label="Which scores"
    )
    alpha = level_of("Level of the tests")

    def __init__(self, data: Any = None, *, campaign: Campaign, others: QuerySet[Campaign]) -> None:
        super().__init__(data)
        field = cast(forms.ModelMultipleChoiceField[Campaign], self.fields["sets"])
        field.queryset = others.exclude(pk=campaign.pk)
        field = cast(forms.ModelMultipleChoiceField[Campaign], self.fields["left_out"])
        field.queryset = others

    def wanted(self) -> EvaluationChoices:
        """Call after `is_valid`."""
        chosen = self.cleaned_data
        return EvaluationChoices(
            annotators=chosen["annotators"] or EVALUATION.annotators,
            alpha=chosen["alpha"] or EVALUATION.alpha,
            sets=tuple(sorted(one.slug for one in chosen["sets"])),
            left_out=tuple(sorted(one.slug for one in chosen["left_out"])),
        )


class PointsForm(forms.Form):
    """Which metric the picture of captions shows: the best, unless another is chosen."""

    metric = forms.ChoiceField(label="Captions by")

    def __init__(self, data: Mapping[str, str], *, metrics: Sequence[str]) -> None:
        """``metrics``: one or more, best first."""
        super().__init__({"metric": data.get("metric") or metrics[0]})
        names = [(name, name) for name in metrics]
        cast(forms.ChoiceField, self.fields["metric"]).choices = names


class KeyForm(forms.Form):
    """A new key for scripts."""

    name = forms.CharField(
        max_length=100, label="What it is for", help_text="So that you know it again."
    )


class MetricsForm(forms.Form):
    """Which metrics to compute, and with what; the papers' own values first.

    A field for each setting of the metrics is made from the setting itself.
    """

    metrics = forms.MultipleChoiceField(
        error_messages={
            "required": "Tick at least one metric.",
            "invalid_choice": "%(value)s cannot be computed for this campaign.",
        }
    )
    model = forms.ChoiceField(
        label="Image–text model",
        required=False,
        help_text="“demo” knows the demo’s rendered scenes and nothing else.",
    )
    anyway = forms.BooleanField(
        label="Let the demo model score these videos anyway",
        required=False,
        help_text="Its numbers will mean nothing, and every table will say so.",
    )
    label = forms.CharField(
        label="Label",
        required=False,
        max_length=40,
        help_text="To keep these scores beside those of the same metrics computed otherwise.",
    )
    corpus = forms.FileField(
        label="Corpus",
        required=False,
        help_text="A file video,source,caption to count rare words in, in place of the references.",
    )

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        can: Iterable[str],
        models: Iterable[str],
        asks_consent: bool = False,
    ) -> None:
        """``can``: the metrics that can be computed; ``models``: entries of METRIC_MODELS;
        ``asks_consent``: whether the demo model is among them and not made for these videos."""
        super().__init__(data, files)
        self._can = list(can)
        self._offer("metrics", [(name, name) for name in self._can])
        named = [(entry, Path(ModelChoice.named(entry).model).name) for entry in models]
        self._offer("model", named or [("", "None")])
        for name, setting in SETTINGS.items():
            self.fields[name] = setting_field(setting)
        if not asks_consent:
            del self.fields["anyway"]

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices

    @property
    def ticked(self) -> set[str]:
        """All that can be computed, until somebody has chosen."""
        return set(self["metrics"].value() or () if self.is_bound else self._can)

    @property
    def settings(self) -> list[forms.BoundField]:
        """The fields of the metrics' settings, but that of frames, which stands by itself."""
        return [self[name] for name in SETTINGS if name != "frames"]

    def clean_corpus(self) -> Corpus | None:
        given: UploadedFile[bytes] | None = self.cleaned_data["corpus"]
        if given is None:
            return None
        faults = Faults()
        name = Path(given.name or "corpus.csv")
        with tempfile.TemporaryDirectory(prefix="da-corpus-") as folder:
            path = Path(folder) / f"corpus{name.suffix}"
            path.write_bytes(given.read())
            references = as_texts(read_references(path, faults))
        if faults.errors:
            raise forms.ValidationError([str(fault) for fault in faults])
        return Corpus(name.name, references)

    def clean_label(self) -> str:
        try:
            return label_checked(self.cleaned_data["label"].strip())
        except ValueError as error:
            raise forms.ValidationError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None

    def clean(self) -> None:
        """What was left empty is as the papers have it."""
        given = {name: self.cleaned_data.get(name) for name in SETTINGS}
        try:
            self.chosen = MetricSettings(
                **{name: value for name, value in given.items() if value not in (None, "")}
            )
        except ValueError as error:
            raise forms.ValidationError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None


def setting_field(setting: Field[Any]) -> forms.Field:
    """The field of a metric's setting, made from the setting."""
    about = setting.metadata
    told = {"label": about["label"], "help_text": about["help_text"], "required": False}
    if about["offered"]:
        offered = list(about["offered"].items())
        return forms.ChoiceField(choices=offered, initial=setting.default, **told)
    kind: type[forms.Field] = {
        bool: forms.BooleanField,
        int: forms.IntegerField,
        float: forms.FloatField,
    }.get(type(setting.default), forms.CharField)
    return kind(initial=setting.default, **told)


def both_ways(columns: Mapping[str, str]) -> list[tuple[str, str]]:
    """Choices of an order: each column from its lowest and from its highest value."""
    return [
        (f"{sign}{name}", f"{label}, {first} first")
        for name, label in columns.items()
        for sign, first in (("", "lowest"), ("-", "highest"))
    ]


class AnnotatorsForm(forms.Form):
    """Which annotators are listed, and in what order."""

    q = forms.CharField(required=False, max_length=100, label="Pseudonym")
    show = forms.ChoiceField(
        required=False,
        choices=[
            ("", "Everybody"),
            ("passed", "Passed"),
            ("failed", "Failed"),
            ("insufficient", "Too few pairs to tell"),
            ("commented", "Left a comment"),
            ("flagged", "Flagged for anything"),
            *((flag, f"Flagged: {flag}") for flag in FLAGS),
        ],
        label="Show",
    )
    sort = forms.ChoiceField(
        required=False,
        choices=both_ways(
            {
                "annotator": "Pseudonym",
                "hits": "HITs",
                "ratings": "Ratings",
                "pairs": "Pairs",
                "p": "p",
                "repeat_distance": "Repeat difference",
                "seconds": "Time per caption",
            }
        ),
        label="Sorted by",
    )


class CaptionsForm(forms.Form):
    """Which captions are listed, and in what order."""

    q = forms.CharField(required=False, max_length=200, label="Words or video")
    system = forms.ChoiceField(required=False, label="System")
    sort = forms.ChoiceField(
        required=False,
        choices=[
            ("-z", "z, highest first"),
            ("z", "z, lowest first"),
            *both_ways({"raw": "Raw score", "disagreement": "Disagreement", "n": "Ratings"}),
        ],
        label="Sorted by",
    )

    def __init__(self, data: Any = None, *, systems: Iterable[str]) -> None:
        super().__init__(data)
        names = [(name, name) for name in systems]
        cast(forms.ChoiceField, self.fields["system"]).choices = [("", "Every system"), *names]


class PairForm(forms.Form):
    """Which two systems are held against each other: the best two, unless others are chosen."""

    first = forms.ChoiceField(label="Is this system")
    second = forms.ChoiceField(label="better than this one?")
    order = forms.ChoiceField(
        required=False,
        choices=[
            ("", "Largest differences first"),
            ("-difference", "Where the first is ahead"),
            ("difference", "Where the second is ahead"),
        ],
        label="Videos",
    )

    def __init__(self, data: Mapping[str, str], *, systems: Sequence[str]) -> None:
        """``systems``: two or more, best first."""
        first = data.get("first") or systems[0]
        second = data.get("second") or next(name for name in systems if name != first)
        super().__init__({"first": first, "second": second, "order": data.get("order", "")})
        for name in ("first", "second"):
            field = cast(forms.ChoiceField, self.fields[name])
            field.choices = [(system, system) for system in systems]

    @property
    def pair(self) -> tuple[str, str]:
        """Call after `is_valid`."""
        return self.cleaned_data["first"], self.cleaned_data["second"]

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("first") == self.cleaned_data.get("second"):
            raise forms.ValidationError("A system cannot be compared with itself.")
        return self.cleaned_data


class ComparisonForm(forms.Form):
    """With which other campaign this one is compared."""

    other = forms.ModelChoiceField(
        Campaign.objects.none(),
        required=False,
        to_field_name="slug",
        label="Compare with",
        empty_label="Choose a campaign",
    )

    def __init__(self, data: Any = None, *, campaigns: QuerySet[Campaign]) -> None:
        super().__init__(data)
        cast(forms.ModelChoiceField[Campaign], self.fields["other"]).queryset = campaigns
