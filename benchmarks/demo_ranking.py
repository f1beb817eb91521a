"""Do metrics with the demo model tell good captions of the demo campaign from bad ones?

For every metric that looks at videos: how often a person's caption scores above its degraded
version, Spearman's ρ with the quality that captions have by construction, and the order of systems.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.models import DEMO, ModelChoice
from analysis.metrics.registry import families
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from benchmarks.published import several, short, table
from hits.degradation import degrade
from rehearsal.demo import SYSTEMS, caption, demo_scenes, video_name, write_demo_campaign

LOOKING = [name for family in families() if "image_text" in family.needs for name in family.metrics]
CONTROL, REFERENCE = "human-a", "human-b"
VERSIONS = 5
ORDER = ("concise", "imaginative", "restless", "confused", "vague")
"""The systems by the quality their captions have by construction."""
GROUPS: dict[str, Callable[[str], bool]] = {
    "`clip_…`, `clipscore`": lambda name: name.startswith("clip") and not name.endswith("+ref"),
    "`clip_…+ref`, `refclipscore`": lambda name: name.endswith("+ref") or name == "refclipscore",
    "`emscore`": lambda name: name == "emscore",
    "its parts": lambda name: name in {"emscore_c", "emscore_p", "emscore_r", "emscore_f"},
    "`emscore_text`": lambda name: name == "emscore_text",
    "`emscore_ref`": lambda name: name == "emscore_ref",
    "`factvc`": lambda name: name == "factvc",
    "`factvc_text`": lambda name: name == "factvc_text",
    "`factvc_both`": lambda name: name == "factvc_both",
}


@dataclass(frozen=True)
class Found:
    """What one metric says: share of pairs in order, ρ with quality, the systems best first."""

    pairs: float
    quality: float
    order: tuple[str, ...]


def scored(batch: Batch, store: Path) -> dict[str, np.ndarray]:
    demo = MetricConfig(store, model=ModelChoice(DEMO), rendered=True)
    context, settings = demo.context(), Settings()
    embed(embeddable(batch, LOOKING, settings), settings, context)
    return score(batch, LOOKING, settings, context).values


def ranked() -> dict[str, Found]:
    """Every metric on the captions of the demo campaign, rendered for it."""
    scenes = demo_scenes()
    names = [video_name(shown) for shown in scenes]
    control = [caption(shown, CONTROL).text for shown in scenes]
    chosen = np.tile(np.arange(len(scenes)), VERSIONS)
    degraded = degrade(control, chosen, rng=np.random.default_rng(7)).text
    told = [caption(shown, system) for system in SYSTEMS for shown in scenes]
    references = {video_name(shown): [caption(shown, REFERENCE).text] for shown in scenes}
    with tempfile.TemporaryDirectory() as folder:
        campaign = Path(folder) / "campaign"
        write_demo_campaign(campaign, size=(320, 180), fps=8)
        files = {name: VideoFile.of(campaign / "clips" / f"{name}.mp4") for name in names}
        captions = [*control, *degraded, *(said.text for said in told)]
        videos = names * (1 + VERSIONS + len(SYSTEMS))
        values = scored(Batch(captions, videos, references, references, files), Path(folder))
    quality = [said.quality for said in told]
    return {name: _found(values[name], len(scenes), quality) for name in LOOKING}


def _found(values: np.ndarray, scenes: int, quality: list[float]) -> Found:
    good, bad, said = np.split(values, [scenes, scenes * (1 + VERSIONS)])
    means = said.reshape(len(SYSTEMS), -1).mean(axis=1)
    return Found(
        float((good > bad.reshape(VERSIONS, -1)).mean()),
        float(spearmanr(said, quality).statistic),
        tuple(SYSTEMS[place] for place in np.argsort(-means)),
    )


def demo(data: Path) -> dict[str, str]:
    """The table and the sentences of docs/metrics.md; no published data is needed."""
    found = ranked()
    rows = [
        (label, *_ranges([one for name, one in found.items() if chosen(name)]))
        for label, chosen in GROUPS.items()
    ]
    order = {name: one.order for name, one in found.items()}
    return {
        "demo": table(("", "above its degraded version", "ρ with quality"), *rows),
        "demo.last": _named(n for n, o in order.items() if set(o[-2:]) != set(ORDER[-2:])),
        "demo.whole": _named(n for n, o in order.items() if o == ORDER),
        "demo.restless": _named(n for n, o in order.items() if o[0] == "restless"),
        "demo.order": " > ".join(ORDER),
    }


def _ranges(found: list[Found]) -> tuple[str, str]:
    return (
        f"{_range([one.pairs for one in found], lambda share: f'{100 * share:.1f}')} %",
        _range([one.quality for one in found], lambda rho: short(rho, 2)),
    )


def _range(values: list[float], shown: Callable[[float], str]) -> str:
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low}–{high}"


def _named(names: Iterable[str]) -> str:
    return several([f"`{name}`" for name in names]) or "none"


FINDINGS = (demo,)


def main() -> None:
    print(f"{'metric':18} {'pairs':>7} {'quality':>8}   systems")
    for name, one in ranked().items():
        print(f"{name:18} {one.pairs:7.1%} {one.quality:8.2f}   {' > '.join(one.order)}")


if __name__ == "__main__":
    main()
