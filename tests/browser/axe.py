"""What axe-core has to say about a page that has come to rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# A colour in the middle of a transition is nobody's choice: each is brought to its end at once.
REST = """document.getAnimations().forEach((each) => {
    try { each.finish(); } catch { each.cancel(); }  // what goes on for ever has no end
})"""


def violations(page: Page) -> list[str]:
    """Faults that stand in somebody's way. None where axe-core is not installed."""
    if not is_installed():
        return []
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(REST)
    # Evaluated by the driver, so that the page's own content policy stays in force.
    page.evaluate(f"{AXE.read_text()}; null")
    report = page.evaluate(f"axe.run(document, {RULES})")
    return [
        f"{fault['id']}: {node['html'][:300]}"
        for fault in report["violations"]
        if fault["impact"] in ("serious", "critical", "moderate")
        for node in fault["nodes"]
    ]


def is_installed() -> bool:
    """Under CI=true it must be: tests must not pass by not looking."""
    if not AXE.exists() and os.environ.get("CI") == "true":
        pytest.fail("axe-core is missing: npm ci")
    return AXE.exists()
