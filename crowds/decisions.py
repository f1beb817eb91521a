"""Pay, use, invite again: what holds of one submission, by a person's word or by the rules.

Pure: rows go in as plain values, so that every case can be read off a table in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

PASSED, FAILED = "passed", "failed"
VERDICTS = {
    PASSED: "passed quality control",
    FAILED: "failed quality control",
    "insufficient": "rated too few pairs for quality control",
}


@dataclass(frozen=True)
class Case:
    """What there is to decide about: clean work or not, and what quality control said of it."""

    finished: bool  # handed in here, and reported by the crowd without a problem
    verdict: str  # "passed", "failed", "insufficient", or "" before anybody looked
    refused: bool = False  # a person decided not to pay
    odd: bool = False  # the crowd's report and our rows do not agree
    vouched: bool = False  # a person said that this annotator's ratings are used


def pays(rule: str, case: Case) -> bool | None:
    """Whether it is paid by itself: yes, or None where a person decides. Never a plain no.

    >>> pays("finished", Case(finished=True, verdict="failed"))
    True
    """
    by_rule = rule == "finished" or (rule == "passed" and case.verdict == PASSED)
    return True if case.finished and by_rule else None


def uses(rule: str, case: Case, word: bool | None = None) -> bool | None:
    """Whether the ratings are used in the ranking; None before quality control has looked.

    This is the one meaning of "used", on every page and in the API: what `analysis` ranks by.
    """
    if word is not None:
        return word
    if case.odd or case.refused:
        return False
    if rule == "everyone" or case.vouched:
        return True
    return None if not case.verdict else case.verdict == PASSED


def use_reason(rule: str, case: Case, word: bool | None = None) -> str:
    """Why the ratings are used or left out, where two rules differ above all.

    >>> use_reason("everyone", Case(finished=True, verdict="failed"))
    'failed quality control, but the rule uses everybody'
    """
    if word is not None:
        return "decided by a person"
    if case.odd or case.refused:
        return "not paid" if case.refused else "something is wrong with the submission"
    found = VERDICTS.get(case.verdict, "quality control has not looked yet")
    if case.verdict == PASSED:
        return found
    if case.vouched:
        return f"{found}, but a person decided to use this annotator"
    return f"{found}, but the rule uses everybody" if rule == "everyone" else found


def invites_again(rule: str, case: Case, word: bool | None = None) -> bool | None:
    """Whether the person is invited again; None before quality control has looked."""
    if word is not None:
        return word
    if not case.finished or case.refused or rule == "nobody":
        return False
    if rule == "everyone":
        return True
    return None if not case.verdict else case.verdict == PASSED


def needs_replacement(rule: str, case: Case, word: bool | None = None) -> bool:
    """Whether somebody else has to be asked instead.

    Too few pairs to judge are no reason: the next person would have as few, and the one after.
    """
    if word is None and case.finished and not case.refused and case.verdict not in (PASSED, FAILED):
        return False
    return (word is None and not case.finished) or uses(rule, case, word) is False
