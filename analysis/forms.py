"""What an analyst may choose on the pages of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from django import forms
from django.db.models import QuerySet

from analysis.presenting.listings import FLAGS, flag_shown
from analysis.results.settings import Settings
from hits.models import Campaign

DEFAULTS = Settings()
# Each that is asked for is computed and kept: so there are these, on pages and for scripts.
LEVELS = (0.05, 0.01, 0.001, 0.1)
PAIRS = (0, 5, 10, 20)


def whose_ratings() -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False,
        choices=[
            ("", "According to the campaign’s rule"),
            ("passed", "Annotators who passed"),
            ("all", "All annotators"),
        ],
        label="Whose ratings",
    )


def whose(everybody: bool) -> str:
    """A campaign's rule, as the choice of the same name."""
    return "all" if everybody else "passed"


def level_of(label: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        required=False,
        coerce=float,
        empty_value=None,
        choices=[(f"{level:g}", f"{level:g}") for level in LEVELS],
        label=label,
    )


def pairs_needed() -> forms.TypedChoiceField:
    few = "The fewest the test allows"
    return forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=None,
        choices=[
            ("", "Campaign setting"),
            *((f"{pairs}", f"{pairs}" if pairs else few) for pairs in PAIRS),
        ],
        label="Minimum pairs",
    )


class OptionsForm(forms.Form):
    """Options that stay closed above what they change, and say in a line what is not usual."""

    @property
    def changes(self) -> str:
        """Every option that is not its field's first choice, in words."""
        chosen = ((field.label, chosen_in(field)) for field in self)
        return "; ".join(f"{label}: {words}" for label, words in chosen if words)


def chosen_in(field: forms.BoundField) -> str:
    """What somebody typed, or chose instead of the first choice; empty where it is as usual."""
    value = field.value()
    if not value or field.errors:
        return ""
    if not isinstance(field.field, forms.ChoiceField):
        return f"“{value}”"
    choices = dict(cast(list[tuple[str, str]], field.field.choices))
    return "" if value == next(iter(choices)) else choices[value]


class ChoicesForm(OptionsForm):
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
        label="Standardise over",
    )
    resample = forms.ChoiceField(
        required=False,
        choices=[("caption", "Captions"), ("annotator", "Annotators")],
        label="Bootstrap over",
    )
    runs = forms.ChoiceField(
        required=False,
        choices=[("all", "All"), ("primary", "The primary one")],
        label="Runs of a team",
    )
    quality_alpha = level_of("Significance level, quality control")
    min_pairs = pairs_needed()
    alpha = level_of("Significance level, tests")
    adjust = forms.ChoiceField(
        required=False,
        choices=[("", "None"), ("holm", "Holm"), ("bh", "Benjamini–Hochberg")],
        label="Multiple-testing adjustment",
    )

    def settings(
        self,
        *,
        minimum_pairs: int,
        further_runs: Callable[[], tuple[str, ...]] = tuple,
        everybody: bool = False,
    ) -> Settings:
        """The choices as the analysis wants them; call after `is_valid`.

        ``minimum_pairs``, and whether ``everybody`` is used, is what the campaign asks for, where
        nothing else is chosen; ``further_runs`` gives runs that are not their team's primary one.

        Adjusting changes no score and no rank: every result has all three p values.
        """
        chosen = self.cleaned_data
        return Settings(
            keep_all_annotators=(chosen["annotators"] or whose(everybody)) == "all",
            test=chosen["test"] or DEFAULTS.test,
            basis=chosen["basis"] or DEFAULTS.basis,
            resample=chosen["resample"] or DEFAULTS.resample,
            alpha=chosen["alpha"] or DEFAULTS.alpha,
            quality_alpha=chosen["quality_alpha"] or DEFAULTS.quality_alpha,
            minimum_pairs=minimum_pairs if chosen["min_pairs"] is None else chosen["min_pairs"],
            left_out=further_runs() if chosen["runs"] == "primary" else (),
        )


class KeyForm(forms.Form):
    """A new key for scripts."""

    name = forms.CharField(
        max_length=100,
        label="Name",
        help_text="A name to recognise it by, such as the script that uses it.",
    )


def both_ways(columns: Mapping[str, str]) -> list[tuple[str, str]]:
    """Choices of an order: each column from its lowest and from its highest value."""
    return [
        (f"{sign}{name}", f"{label}, {first} first")
        for name, label in columns.items()
        for sign, first in (("", "lowest"), ("-", "highest"))
    ]


class AnnotatorsForm(OptionsForm):
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
            ("inattentive", "Missed an attention check"),
            ("flagged", "Any flag"),
            *((flag, f"Flagged: {flag_shown(flag)}") for flag in FLAGS),
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


class CaptionsForm(OptionsForm):
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
