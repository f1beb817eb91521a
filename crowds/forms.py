"""What organisers type."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from crowds.gateway import Requirements
from crowds.models import Policy, ReviewAction
from crowds.registry import LABELS
from crowds.selectors.offering import Choices
from crowds.services.review_action_kinds import ActionRequest
from hits.models import Campaign


class LaunchForm(forms.Form):
    """What is chosen before a batch goes to a crowd."""

    crowd = forms.ChoiceField(label="Crowd", choices=list(LABELS.items()))
    reward = forms.DecimalField(
        label="Reward per HIT",
        min_value=Decimal("0"),
        max_value=Decimal("9999.99"),
        decimal_places=2,
        help_text="For each finished HIT, in the crowd’s currency.",
    )
    budget = forms.DecimalField(
        label="Budget of the campaign",
        min_value=Decimal("0"),
        max_value=Decimal("9999999.99"),
        decimal_places=2,
        help_text="Covers fees, replacements and bonuses. It is never exceeded.",
    )
    lifetime_days = forms.IntegerField(
        label="Open for, days",
        min_value=1,
        max_value=30,
        initial=7,
        help_text="You can reopen it afterwards.",
    )
    title = forms.CharField(label="Title", max_length=120)
    keywords = forms.CharField(label="Keywords", max_length=200, required=False)
    description = forms.CharField(
        label="Description",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    approval_rate = forms.IntegerField(
        label="Approval rate, at least %", min_value=0, max_value=100, required=False
    )
    approved = forms.IntegerField(
        label="Approved tasks, at least", min_value=0, max_value=1_000_000, required=False
    )
    countries = forms.CharField(
        label="Countries",
        max_length=200,
        required=False,
        help_text="Two-letter codes, such as GB, IE. Empty: any country.",
        validators=[
            RegexValidator(
                r"^\s*([A-Za-z]{2}\s*(,\s*|$))*$", "Enter two letters each, separated by commas."
            )
        ],
    )
    only_again = forms.BooleanField(
        label="Only people on your list to invite again", required=False
    )
    tops_up = forms.BooleanField(
        label="Offer a HIT to somebody else if its ratings are left out",
        required=False,
        initial=True,
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    @classmethod
    def of(cls, campaign: Campaign, policy: Policy, data: Any, *, crowd: str = "") -> LaunchForm:
        """The form filled with what was sent or, where that is None, with what suits."""
        initial = {"reward": campaign.reward, "budget": policy.budget, "crowd": crowd}
        return cls(data, initial=initial | asdict(campaign.asked.advert))

    def choices(self) -> Choices:
        """What was chosen, in the words of `batch_launch`."""
        sent = self.cleaned_data
        return Choices(
            crowd=sent["crowd"],
            reward=sent["reward"],
            title=sent["title"],
            description=sent["description"],
            keywords=_words(sent["keywords"]),
            lifetime_days=sent["lifetime_days"],
            requirements=Requirements(
                approval_rate=sent["approval_rate"],
                approved=sent["approved"],
                countries=_words(sent["countries"].upper()),
            ),
            only_again=sent["only_again"],
            tops_up=sent["tops_up"],
        )


class ExtendForm(forms.Form):
    """What a launch is extended by."""

    people = forms.IntegerField(
        label="More people per HIT", min_value=0, max_value=50, required=False, initial=1
    )
    days = forms.IntegerField(
        label="Stay open for, days",
        min_value=0,
        max_value=30,
        required=False,
        help_text="Counted from now. Leave it empty to keep the current end.",
    )

    def amounts(self) -> dict[str, int]:
        return {name: self.cleaned_data[name] or 0 for name in ("people", "days")}


class PolicyForm(forms.ModelForm[Policy]):
    """The budget and the rules of a campaign."""

    class Meta:
        model = Policy
        fields = ["budget", "approve_after_hours", "pay_rule", "use_rule", "invite_rule"]
        labels = Policy.LABELS


class ReviewForm(forms.Form):
    """What to do with the submissions that are ticked.

    ``once`` is different each time the page is shown: sent twice, a bonus is paid once.
    """

    ACTIONS = (
        ("pay", "Pay"),
        ("refuse", "Do not pay"),
        ("use", "Use the ratings"),
        ("leave_out", "Leave the ratings out"),
        ("use_rule", "Let the rule decide about use"),
        ("invite", "Invite again"),
        ("uninvite", "Do not invite again"),
        ("invite_rule", "Let the rule decide about inviting"),
        ("bonus", "Pay a bonus"),
        ("message", "Write a message"),
    )

    NEEDS_TEXT = {
        "refuse": "Give a reason. The person will see it.",
        "bonus": "Say what the bonus is for. The person will see it.",
        "message": "Write the message.",
    }

    action = forms.ChoiceField(label="With the selected", choices=ACTIONS)
    category = forms.ChoiceField(label="Category", required=False)
    amount = forms.DecimalField(
        label="Bonus for each",
        min_value=Decimal("0.01"),
        max_value=Decimal("999.99"),
        decimal_places=2,
        required=False,
    )
    once = forms.CharField(max_length=40, widget=forms.HiddenInput)
    text = forms.CharField(
        label="Reason or message",
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="The person will see this.",
    )

    def __init__(self, *args: Any, categories: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["category"]
        if categories:
            field.choices = [("", "—"), *categories.items()]  # type: ignore[attr-defined]
        else:
            del self.fields["category"]

    def clean(self) -> None:
        sent = self.cleaned_data
        missing = self.NEEDS_TEXT.get(sent.get("action", ""))
        if missing and not sent.get("text"):
            self.add_error("text", missing)
        if sent.get("action") == "bonus" and not sent.get("amount"):
            self.add_error("amount", "Enter an amount.")


class ReviewActionForm(forms.Form):
    """What is ordered about annotators, in which words and for how much.

    ``once`` stays the same from the first look to the last click: sent twice, it is one action.
    """

    kind = forms.ChoiceField(choices=ReviewAction.Kind.choices, widget=forms.HiddenInput)
    amount = forms.DecimalField(
        label="Bonus for each person",
        min_value=Decimal("0.01"),
        max_value=Decimal("999.99"),
        decimal_places=2,
    )
    category = forms.ChoiceField(label="Category")
    text = forms.CharField(max_length=4000, widget=forms.Textarea(attrs={"rows": 4}))
    once = forms.CharField(max_length=40, widget=forms.HiddenInput)
    seen = forms.CharField(max_length=100, required=False, widget=forms.HiddenInput)

    TEXTS = {
        ReviewAction.Kind.REJECT: (
            "Reason",
            "The person will see this. Everybody selected gets the same text.",
        ),
        ReviewAction.Kind.BONUS: ("What it is for", "The person will see it."),
        ReviewAction.Kind.MESSAGE: (
            "Message",
            "Sent through the crowd, in the campaign’s name.",
        ),
    }

    def __init__(
        self, *args: Any, kind: ReviewAction.Kind, categories: dict[str, str], **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        if kind in self.TEXTS:
            self.fields["text"].label, self.fields["text"].help_text = self.TEXTS[kind]
        else:
            del self.fields["text"]
        if kind != ReviewAction.Kind.BONUS:
            del self.fields["amount"]
        if kind == ReviewAction.Kind.REJECT and categories:
            self.fields["category"].choices = [("", "—"), *categories.items()]  # type: ignore[attr-defined]
        else:
            del self.fields["category"]

    def asked(self) -> ActionRequest:
        sent = self.cleaned_data
        return ActionRequest(
            kind=ReviewAction.Kind(sent["kind"]),
            text=sent.get("text", ""),
            category=sent.get("category", ""),
            amount=sent.get("amount", Decimal("0")),
        )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())
