"""Do metrics with the demo model tell good captions of the demo campaign from bad ones?

For every metric that looks at videos: how often a person's caption scores above its degraded
version, Spearman's ρ with the quality that captions have by construction, and the order of systems.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from analysis.metrics.batch import Batch, VideoFile
from analysis.metrics.equipment import Equipment
from analysis.metrics.models import DEMO, ModelChoice
from analysis.metrics.registry import Need, families
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
from hits.degradation import degrade
from rehearsal.demo import SYSTEMS, caption, demo_scenes, video_name, write_demo_campaign

LOOKING = [name for family in families() if Need.ENCODER in family.needs for name in family.metrics]
CONTROL, REFERENCE = "human-a", "human-b"
VERSIONS = 5


def scored(batch: Batch, store: Path) -> dict[str, np.ndarray]:
    demo = Equipment(store, model=ModelChoice(DEMO), rendered=True)
    bench, settings = demo.workbench(set(Need)), Settings()
    embed(embeddable(batch, LOOKING, settings), settings, bench)
    return score(batch, LOOKING, settings, bench).values


def report(
    name: str, good: np.ndarray, bad: np.ndarray, said: np.ndarray, quality: Sequence[float]
):
    right = (good > bad.reshape(VERSIONS, -1)).mean()
    means = said.reshape(len(SYSTEMS), -1).mean(axis=1)
    order = " > ".join(SYSTEMS[place] for place in np.argsort(-means))
    print(f"{name:18} {right:7.1%} {spearmanr(said, quality).statistic:8.2f}   {order}")


def main() -> None:
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
    print(f"{'metric':18} {'pairs':>7} {'quality':>8}   systems")
    for name in LOOKING:
        good, bad, said = np.split(values[name], [len(scenes), len(scenes) * (1 + VERSIONS)])
        report(name, good, bad, said, [said.quality for said in told])


if __name__ == "__main__":
    main()
