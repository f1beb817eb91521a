"""What an analyst may choose on the results page."""

from __future__ import annotations

from django import forms

from analysis.pipeline import Settings

DEFAULTS = Settings()


class ChoicesForm(forms.Form):
    """Choices that change numbers; all optional, the protocol's own by default."""

    annotators = forms.ChoiceField(
        required=False,
        choices=[("passed", "Those who passed"), ("all", "Everybody")],
        label="Whose ratings",
    )
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
    alpha = forms.TypedChoiceField(
        required=False,
        coerce=float,
        empty_value=None,
        choices=[("0.05", "0.05"), ("0.01", "0.01"), ("0.001", "0.001"), ("0.1", "0.10")],
        label="Level of the tests",
    )

    def settings(self, *, minimum_pairs: int) -> Settings:
        """The choices as the analysis wants them; call after `is_valid`."""
        chosen = self.cleaned_data
        return Settings(
            keep_all_annotators=chosen["annotators"] == "all",
            test=chosen["test"] or DEFAULTS.test,
            basis=chosen["basis"] or DEFAULTS.basis,
            resample=chosen["resample"] or DEFAULTS.resample,
            alpha=chosen["alpha"] or DEFAULTS.alpha,
            minimum_pairs=minimum_pairs,
        )


class KeyForm(forms.Form):
    """A new key for scripts."""

    name = forms.CharField(
        max_length=100, label="What it is for", help_text="So that you know it again."
    )
