"""Analysis of a million ratings, against plain pandas and scipy doing the same work.

    python -m benchmarks.analysis [--quick]

Both sides start from ratings in memory and do pairs, quality control, z, captions, systems, the
rank-sum matrix and 1,000 bootstraps by caption; every number must agree to 1e-12. Then the exact
signed-rank test against scipy's, reading from Parquet, the whole command, and growth
from 10 k to 10 M ratings.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.stats import mannwhitneyu, ttest_rel, wilcoxon

from analysis.reading import read_ratings
from analysis.stats.bootstrap import Intervals, bootstrap_captions
from analysis.stats.captions import CaptionScores, SystemScores, score_captions, score_systems
from analysis.stats.paired import signed_rank
from analysis.stats.quality import Quality, check_quality
from analysis.stats.ranking import SAME, Ranking, rank_systems
from analysis.stats.ratings import KINDS, Ratings
from analysis.stats.standardise import standardise
from benchmarks.crowd import HIT_SIZE, simulate

SYSTEMS, VIDEOS, ANNOTATORS, DRAWS = 20, 5_000, 2_000, 1_000
T = TypeVar("T")
Core = tuple[Quality, CaptionScores, SystemScores, Ranking, Intervals]


def core(ratings: Ratings) -> Core:
    """Our side: what `analysis.results.pipeline.analyse` does, without flags and signature."""
    quality = check_quality(ratings)
    z = standardise(ratings).z
    captions = score_captions(ratings, ratings.score, z, quality.passed)
    systems = score_systems(captions, len(ratings.systems))
    ranking = rank_systems(captions, systems)
    rng = np.random.default_rng(7)
    intervals = bootstrap_captions(captions, len(ratings.systems), rng=rng, draws=DRAWS)
    return quality, captions, systems, ranking, intervals


class Yardstick:
    """The same work as an analyst would write it: clear, and as pandas and scipy intend."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.quality = self.check_quality(frame)
        by_annotator = frame.groupby("annotator", observed=True)["score"]
        z = (frame["score"] - by_annotator.transform("mean")) / by_annotator.transform("std")
        frame = frame.assign(z=z)
        passed = self.quality.index[(self.quality["p"] < 0.05) & (self.quality["pairs"] >= 10)]
        kept = frame[frame["annotator"].isin(passed) & frame["kind"].isin(["system", "repeat"])]
        self.captions = kept.groupby(["system", "item"], observed=True).agg(
            raw=("score", "mean"), z=("z", "mean"), n=("score", "size")
        )
        self.systems = self.captions.groupby("system", observed=True)[["raw", "z"]].mean()
        self.p = self.compare()
        self.low, self.high = self.bootstrap()

    def check_quality(self, frame: pd.DataFrame) -> pd.DataFrame:
        key = ["annotator", "hit", "system", "item"]
        originals = frame[frame["kind"].isin(["system", "reference"])].set_index(key)["score"]
        degraded = frame[frame["kind"] == "degraded"].set_index(key)["score"]
        pairs = pd.concat({"degraded": degraded, "original": originals}, axis=1, join="inner")
        verdicts = {}
        for annotator, own in pairs.groupby("annotator", observed=True):
            test = ttest_rel(own["degraded"], own["original"], alternative="less")
            verdicts[annotator] = (len(own), test.statistic, test.pvalue)
        return pd.DataFrame.from_dict(verdicts, orient="index", columns=["pairs", "t", "p"])

    def compare(self) -> pd.DataFrame:
        # Equal means must stay equal: compared to ten decimals, as the platform does.
        z = {name: own.to_numpy().round(SAME) for name, own in self.captions["z"].groupby("system")}
        p = pd.DataFrame(np.nan, index=list(z), columns=list(z))
        for better in z:
            for worse in z:
                if better != worse:
                    p.loc[better, worse] = mannwhitneyu(
                        z[better], z[worse], alternative="greater", method="asymptotic"
                    ).pvalue
        return p

    def bootstrap(self) -> tuple[np.ndarray, np.ndarray]:
        table = self.captions["z"].unstack("system").to_numpy()
        rng = np.random.default_rng(7)
        means = [
            np.nanmean(table[rng.integers(0, len(table), len(table))], axis=0) for _ in range(DRAWS)
        ]
        return tuple(np.quantile(means, [0.025, 0.975], axis=0))


def check_equal(ratings: Ratings, ours: Core, theirs: Yardstick) -> float:
    """The largest difference between the two sides; an error above 1e-12."""
    quality, captions, systems, ranking, intervals = ours
    ranked = [ratings.systems.index(name) for name in theirs.systems.index]
    labels = np.array(ratings.systems)[captions.system], np.array(ratings.items)[captions.item]
    their_captions = theirs.captions.loc[pd.MultiIndex.from_arrays(labels)]
    annotators = theirs.quality.loc[list(ratings.annotators)]
    differences = {
        "quality p": quality.pairs.p - annotators["p"],
        "caption raw": captions.raw / their_captions["raw"] - 1,
        "caption z": captions.z - their_captions["z"],
        "caption n": captions.n - their_captions["n"],
        "system raw": systems.raw[ranked] / theirs.systems["raw"] - 1,
        "system z": systems.z[ranked] - theirs.systems["z"],
        "rank-sum p": ranking.p[np.ix_(ranked, ranked)] - theirs.p.to_numpy(),
        "lower end": intervals.z_low[ranked] - theirs.low,
        "upper end": intervals.z_high[ranked] - theirs.high,
    }
    largest = {name: float(np.nanmax(np.abs(values))) for name, values in differences.items()}
    wrong = {name: value for name, value in largest.items() if not value <= 1e-12}
    if wrong or len(captions.z) != len(theirs.captions):
        raise SystemExit(f"the two sides differ: {wrong}")
    return max(largest.values())


def timed(work: Callable[[], T], repeats: int = 1) -> tuple[float, T]:
    """Seconds of the best of several runs, and the result."""
    best = np.inf
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def as_frame(ratings: Ratings) -> pd.DataFrame:
    columns = {
        name: pd.Categorical.from_codes(
            getattr(ratings, name), pd.Index(getattr(ratings, f"{name}s"))
        )
        for name in ("annotator", "hit", "system", "item")
    }
    columns |= {"kind": pd.Categorical.from_codes(ratings.kind, pd.Index(KINDS))}
    columns |= {name: getattr(ratings, name) for name in ("score", "seconds", "position")}
    return pd.DataFrame(columns)


def crowd_of(ratings: int) -> Ratings:
    annotators = min(ANNOTATORS, ratings // HIT_SIZE)
    return simulate(
        annotators=annotators,
        hits_each=ratings // annotators // HIT_SIZE,
        systems=SYSTEMS,
        videos=VIDEOS,
    )


def compare_core(size: int) -> None:
    ratings = crowd_of(size)
    frame = as_frame(ratings)
    ours, result = timed(lambda: core(ratings), repeats=5)
    theirs, yardstick = timed(lambda: Yardstick(frame))
    difference = check_equal(ratings, result, yardstick)
    print(f"core, {size:,} ratings     pandas + scipy {theirs:7.2f} s   ours {ours:6.3f} s", end="")
    print(f"   {theirs / ours:6.1f} ×   largest difference {difference:.1e}")


def compare_signed_rank(people: int, sampled: int) -> None:
    """scipy's exact method with ties enumerates the signs: a sample of people is enough for it."""
    rng = np.random.default_rng(1)
    pairs = 10
    difference = rng.integers(-40, 25, people * pairs)
    group = np.repeat(np.arange(people), pairs)
    ours, result = timed(lambda: signed_rank(difference, group, people, "less"), repeats=5)
    own = [difference[group == person] for person in range(people)]
    tied = [d for d in range(people) if len(set(np.abs(own[d]))) < pairs or 0 in own[d]][:sampled]
    theirs, p = timed(lambda: [wilcoxon(own[d], alternative="less").pvalue for d in tied])
    if np.nanmax(np.abs(result.p[tied] - p)) > 1e-12:
        raise SystemExit("the signed-rank tests differ")
    theirs *= people / len(tied)
    print(f"exact signed-rank, {people:,} people of {pairs} pairs", end="")
    print(
        f"   scipy {theirs:7.1f} s (from {len(tied)})   ours {ours:6.3f} s   {theirs / ours:,.0f} ×"
    )


def show_growth(sizes: list[int]) -> None:
    for size in sizes:
        ratings = crowd_of(size)
        seconds, _ = timed(partial(core, ratings), repeats=2)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        print(f"growth, {size:>10,} ratings   {seconds:6.3f} s   peak memory {memory:,.0f} MiB")


def show_files(size: int) -> None:
    """Reading, and the whole command in a process of its own, from Parquet in no order."""
    frame = as_frame(crowd_of(size)).sample(frac=1, random_state=1)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    plain = table.cast(pa.schema([(one.name, _plain(one.type)) for one in table.schema]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.parquet"
        pq.write_table(plain, path)
        seconds, _ = timed(lambda: read_ratings(path), repeats=3)
        print(f"reading {size:,} ratings from Parquet, checked and sorted   {seconds:.3f} s")
        command = [sys.executable, "manage.py", "analyse", str(path), "--out", f"{folder}/results"]
        environment = os.environ | {"DEBUG": "true"}
        seconds, _ = timed(
            lambda: subprocess.run(command, check=True, capture_output=True, env=environment),
            repeats=3,
        )
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
    print(f"manage.py analyse, {size:,} ratings   {seconds:.2f} s   peak memory {memory:,.0f} MiB")


def _plain(column_type: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_dictionary(column_type) else column_type


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    scale = 10 if parser.parse_args(arguments).quick else 1
    compare_core(1_000_000 // scale)
    compare_signed_rank(ANNOTATORS // scale, sampled=20)
    show_files(1_000_000 // scale)
    show_growth([10_000, 100_000, 1_000_000, 10_000_000][: 4 if scale == 1 else 2])


if __name__ == "__main__":
    main(sys.argv[1:])
