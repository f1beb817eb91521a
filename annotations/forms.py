"""What organisers type."""

from __future__ import annotations

from django import forms


class InvitationForm(forms.Form):
    """People to invite, one to a line."""

    names = forms.CharField(
        label="People to invite",
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One name or e-mail address per line. Each gets a link of their own; nothing is "
        "sent by this site.",
    )

    def clean_names(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["names"].splitlines())
        return [line for line in lines if line]
