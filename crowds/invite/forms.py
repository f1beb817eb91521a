"""What organisers type to invite people, and what people type who join a group."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class InvitationForm(forms.Form):
    """People to invite, one to a line."""

    names = forms.CharField(
        label="People to invite",
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One name or e-mail address per line. Each person gets their own link. You send "
        "the links; this site sends nothing.",
    )

    def clean_names(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["names"].splitlines())
        return [line for line in lines if line]


class JoinForm(forms.Form):
    """Somebody who opens the link of a whole group says who they are."""

    name = forms.CharField(
        label=_("Your name or e-mail address"),
        max_length=100,
        help_text=_(
            "With it you can come back to where you stopped. Whoever sent the link sees it."
        ),
    )


class GroupLinkForm(forms.Form):
    """The link of a whole group: for how many people, or its end. The button says which."""

    CHANGES = (("offer", "Turn on"), ("replace", "Replace"), ("revoke", "Turn off"))

    change = forms.ChoiceField(choices=CHANGES)
    people = forms.IntegerField(
        label="People who may join", min_value=1, max_value=1000, required=False, initial=20
    )

    def clean(self) -> None:
        if self.cleaned_data.get("change") == "offer" and not self.cleaned_data.get("people"):
            self.add_error("people", "Say how many people may join.")
