"""What the pages accept."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

from django import forms
from django.conf import settings

from hits.composition.shape import hit_shape
from hits.models import Campaign
from hits.protocols import protocols


class UploadForm(forms.Form):
    """One zip archive with a campaign in it."""

    archive = forms.FileField(
        label="Campaign archive (.zip)",
        allow_empty_file=False,
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )


class PlanForm(forms.Form):
    """The settings that decide what a campaign costs and finds."""

    redundancy = forms.IntegerField(
        label="HITs per caption",
        min_value=1,
        max_value=1000,
        help_text="How many different HITs contain each caption.",
    )
    assignments = forms.IntegerField(
        label="People per HIT",
        min_value=1,
        max_value=1000,
        help_text="The marketplace fee doubles at ten or more people.",
    )
    reward = forms.DecimalField(
        label="Reward per HIT, USD",
        min_value=Decimal("0"),
        max_value=Decimal("99999.99"),
        decimal_places=2,
        help_text="Paid for a finished HIT.",
    )
    pass_rate = forms.IntegerField(
        label="Pass rate, %",
        min_value=1,
        max_value=100,
        help_text="People expected to pass quality control.",
    )
    hit_size = forms.IntegerField(
        label="Captions per HIT",
        min_value=10,
        max_value=1000,
        step_size=10,
        help_text="Fewer make a shorter task.",
    )
    pairs = forms.IntegerField(
        label="Pairs per HIT",
        min_value=0,
        max_value=400,
        help_text="Control captions shown intact and damaged.",
    )
    repeats = forms.IntegerField(
        label="Repeats per HIT",
        min_value=0,
        max_value=400,
        help_text="Captions shown twice.",
    )

    whole_video = False

    @classmethod
    def of(cls, campaign: Campaign, data: Any) -> PlanForm:
        """The form filled with what was sent, or, where that is None, with the campaign's own."""
        initial = {
            "redundancy": campaign.redundancy,
            "assignments": campaign.assignments,
            "reward": campaign.reward,
            "pass_rate": round(100 * campaign.assumed_pass_rate),
            "hit_size": campaign.hit_size,
            "pairs": campaign.pairs,
            "repeats": campaign.repeats,
        }
        form = cls(data, initial=initial)
        form.whole_video = campaign.asked.whole_video
        if form.whole_video:
            control = (
                "a damaged copy of a caption"
                if campaign.asked.marks
                else "a caption of another video"
            )
            form.fields["pairs"].help_text = f"Pages that hide {control}."
            form.fields["repeats"].help_text = "Must be 0: all captions of a video are on one page."
        return form

    def clean(self) -> None:
        """Sizes that are fine one by one may still not fit into one HIT."""
        if self.errors:
            return
        shape = self.cleaned_data
        try:
            hit_shape(
                whole_video=self.whole_video,
                size=shape["hit_size"],
                pairs=shape["pairs"],
                repeats=shape["repeats"],
            )
        except ValueError as error:
            raise forms.ValidationError(f"These numbers cannot fit into a HIT: {error}.") from None

    @property
    def plan_settings(self) -> dict[str, Any]:
        """What was sent, in the words of `campaign_plan`."""
        cleaned = dict(self.cleaned_data)
        return cleaned | {"pass_rate": cleaned["pass_rate"] / 100}


class SettingsForm(forms.ModelForm[Campaign]):
    """What people are asked, and under which rules, while a campaign is a draft."""

    protocol = forms.ChoiceField(
        label="What a page asks",
        help_text="Another protocol changes the sizes in the plan. Check the plan afterwards.",
    )
    language = forms.ChoiceField(
        label="Language",
        required=False,
        choices=lambda: [("", "The browser’s"), *settings.LANGUAGES],
        help_text="Of the annotators’ pages. Languages other than English are machine translations "
        "that no native speaker has checked yet.",
    )

    class Meta:
        model = Campaign
        fields = (
            "name",
            "protocol",
            "must_watch",
            "shows_number",
            "asks_fluency",
            "offers_speed",
            "minutes_allowed",
            "max_hits_per_annotator",
            "min_pairs",
            "language",
            "contact",
            "instructions",
            "consent",
        )
        labels = {
            "name": "Name",
            "must_watch": "Require watching to the end",
            "shows_number": "Show the number on the scale",
            "asks_fluency": "Also ask about fluency",
            "minutes_allowed": "Minutes allowed for a HIT",
            "max_hits_per_annotator": "HITs per person, at most",
            "min_pairs": "Pairs needed for quality control",
            "consent": "Consent text",
            "offers_speed": "Offer faster playback",
            "contact": "Contact for annotators",
        }
        widgets = {name: forms.Textarea(attrs={"rows": 4}) for name in ("instructions", "consent")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Only protocols that the campaign's material is for."""
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["protocol"]).choices = [
            (each.name, f"{each.title}: {each.summary}")
            for each in protocols().values()
            if each.writes == self.instance.asked.writes
        ]

    def choices(self) -> list[forms.BoundField]:
        return [self[name] for name in self.Meta.fields[2:6]]

    def numbers(self) -> list[forms.BoundField]:
        return [self[name] for name in self.Meta.fields[6:10]]

    def texts(self) -> list[forms.BoundField]:
        return [self[name] for name in self.Meta.fields[10:]]


class CorrectionForm(forms.Form):
    """What a caption should have said."""

    text = forms.CharField(
        label="Caption", widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}), strip=True
    )


class DeleteForm(forms.Form):
    """A draft's name, typed to confirm that it is to go."""

    name = forms.CharField(label="Name of the campaign", max_length=200)

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = name

    def clean_name(self) -> str:
        typed: str = self.cleaned_data["name"]
        if typed != self.expected:
            raise forms.ValidationError("This is not the campaign’s name.")
        return typed


class ShareForm(forms.Form):
    """Colleagues by user name, separated by commas, spaces or lines."""

    usernames = forms.CharField(
        label="User names",
        required=False,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
        help_text="Separated by commas. Leave empty to share with nobody.",
    )

    def clean_usernames(self) -> list[str]:
        names: str = self.cleaned_data["usernames"]
        return names.replace(",", " ").split()
