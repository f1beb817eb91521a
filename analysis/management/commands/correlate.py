"""Hold metrics against people, from files and without a database."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError

from analysis.evaluation import sentences
from analysis.evaluation.evalset import is_evalset
from analysis.evaluation.files import chosen_names, evaluation_files
from analysis.evaluation.inputs import AUTO, Inputs, Misaligned, read_inputs
from analysis.evaluation.joining import Joined
from analysis.evaluation.pipeline import Evaluation, evaluate_metrics
from analysis.evaluation.report import asked
from analysis.evaluation.robustness.checks import (
    CHECKS,
    DRIFT,
    Material,
    Robustness,
    check_robustness,
)
from analysis.evaluation.scoring import Scorer
from analysis.evaluation.set_files import CHECKED, set_files
from analysis.evaluation.set_inputs import Source, read_sets
from analysis.evaluation.sets import evaluate_sets
from analysis.evaluation.settings import Settings, Split
from analysis.evaluation.words import judge_words
from analysis.management.collections import add_quality
from analysis.management.commands.analyse import sentence
from analysis.management.evaluation_lines import correlation_lines, set_lines
from analysis.management.scoring_options import (
    add_config,
    add_learned,
    add_material,
    add_settings,
    config_of,
    names,
    settings_of,
)
from analysis.metrics.registry import mixing
from analysis.presenting.downloads import table_formats
from analysis.results.folder import ResultFolder, write_files
from analysis.results.settings import Settings as Rules
from analysis.stats.outliers import Direction

DEFAULTS = Settings()
BAD_INPUT = 2
MISALIGNED = 3


class Command(BaseCommand):
    help = "Find which metrics agree with people: correlations, tests, outliers, fusion, report."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--human",
            type=Path,
            help="video,system and any number of score columns; a file of ratings; a folder that "
            "`analyse` wrote; a factuality annotation (JSON, marked words in brackets); a TRECVID "
            "video-to-text folder; an EvalSet of mt-metrics-eval; judgements of captions of images "
            "as JSON",
        )
        parser.add_argument(
            "--metrics",
            type=Path,
            nargs="+",
            default=[],
            help="files of scores, wide or long (as `score` writes)",
        )
        parser.add_argument(
            "--set",
            dest="sets",
            type=_source,
            action="append",
            default=[],
            metavar="NAME=FOLDER",
            help="one of several sets instead of --human: a TRECVID folder, a folder with "
            "human.csv and scores.csv or captions.csv and references.csv, or NAME=HUMAN,SCORES "
            "or NAME=HUMAN,CAPTIONS,REFERENCES; GROUP/NAME makes groups, each with its own mean",
        )
        parser.add_argument(
            "--leave-out-of-mean", type=_names, default=[], help="sets, with commas"
        )
        parser.add_argument("--out", type=Path, required=True, help="the folder to write")
        parser.add_argument(
            "--format", choices=table_formats(), default="csv", help="of the tables"
        )
        parser.add_argument("--latex", action="store_true", help="also write tables for a paper")
        self.add_captions(parser)
        self.add_selection(parser)
        self.add_choices(parser)
        add_config(parser)
        add_settings(parser)

    def add_captions(self, parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("captions, to compute metrics from and to quote")
        group.add_argument(
            "--captions",
            type=Path,
            nargs="+",
            default=[],
            help="video,system,caption; or a COCO results file per system",
        )
        group.add_argument(
            "--references", type=Path, help="video,source,caption; or COCO annotations"
        )
        group.add_argument("--compute", type=names, default=[], help="metrics, with commas")
        add_material(group)
        group.add_argument(
            "--whole",
            action="append",
            default=[],
            help="a TRECVID folder with the lines that are missing in this one; with several sets "
            "NAME=FOLDER",
        )
        group.add_argument(
            "--robustness",
            type=_checks,
            help=f"all, or some of {','.join(CHECKS)} (default {DRIFT}; with several sets none)",
        )
        group.add_argument("--foils", type=Path, help="video,true,foil[,category]")
        add_learned(group)

    def add_selection(self, parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("what is compared with what")
        group.add_argument(
            "--shift",
            type=shift_of,
            help="accept that the score of line i belongs to line i + SHIFT; "
            f"{AUTO} accepts what the alignment check finds",
        )
        group.add_argument("--scores", type=_names, default=[], help="columns of human scores")
        group.add_argument(
            "--mean-of-scores",
            action="store_true",
            help="columns are individual people: also report the mean correlation with each",
        )
        group.add_argument(
            "--decimals",
            type=int,
            help="round scores of metrics first, as VATEX-EVAL's authors do to 4",
        )
        group.add_argument(
            "--rows-are-ratings",
            action="store_true",
            help="of a table: a caption may have several rows, each is one rating",
        )
        group.add_argument(
            "--without-references",
            action="store_true",
            help="leave out captions that are among the references of their own video",
        )
        group.add_argument("--only", type=_names, default=[], help="metrics, of those in the file")
        group.add_argument("--systems", type=_names, default=[], help="these only")
        group.add_argument("--without", type=_names, default=[], help="all systems but these")
        group.add_argument(
            "--annotators",
            type=_names,
            default=["passed"],
            help="of a ratings file: passed, all, or names",
        )
        add_quality(group)
        group.add_argument("--pair", help="languages, as in en-de, where there are several pairs")
        group.add_argument("--compare", type=_pair,
                           help="two metrics whose difference is reported first")  # fmt: skip

    def add_choices(self, parser: argparse.ArgumentParser) -> None:
        """Options that decide the numbers; each is part of the signature."""
        group = parser.add_argument_group("choices")
        group.add_argument("--alpha", type=float, default=DEFAULTS.alpha, help="of every test")
        group.add_argument(
            "--draws",
            type=int,
            default=DEFAULTS.draws,
            help="of bootstrap and permutation test",
        )
        group.add_argument(
            "--placebo",
            type=int,
            default=DEFAULTS.placebo,
            help="draws of the placebo beside the outlier filter; 0 for none",
        )
        group.add_argument("--confidence", type=float, default=DEFAULTS.confidence)
        group.add_argument(
            "--factor",
            type=float,
            default=DEFAULTS.factor,
            help="an outlier's distance, in mean distances",
        )
        group.add_argument("--direction", choices=get_args(Direction), default=DEFAULTS.direction)
        group.add_argument(
            "--split",
            choices=get_args(Split),
            default=DEFAULTS.split,
            help="how fusion is tested on unseen captions",
        )
        group.add_argument("--ridge", type=float, default=DEFAULTS.ridge, help="of the fusion")
        group.add_argument("--seed", type=int, default=DEFAULTS.seed)  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        mixed = _mixes(options)
        own = [one.name for one in options["learned"] if one.name not in mixed]
        metrics = [*options["compute"], *own]
        try:
            chosen = settings_of(options)
            context = config_of(options, metrics).context()
        except ValueError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        scorer = Scorer(metrics, context, chosen)
        try:
            if bool(options["sets"]) == bool(options["human"]):
                raise ValueError("name the human scores: either --human, or --set for each set")
            if options["metrics"] and own:
                raise ValueError(
                    f"{own[0]} is computed from captions, but --metrics names existing scores: "
                    "score it first, or leave out --metrics"
                )
            run = self.evaluate_sets if options["sets"] else self.evaluate
            run(scorer, options)
        except Misaligned as error:
            raise CommandError(
                f"{error}\nNothing was written. --shift {error.shift} accepts that, --shift 0 "
                "leaves rows as they are numbered.",
                returncode=MISALIGNED,
            ) from None
        except (ValueError, OSError) as error:
            message = f"{sentence(error)}\nNothing was written."
            raise CommandError(message, returncode=BAD_INPUT) from None

    def evaluate(self, scorer: Scorer, options: Mapping[str, Any]) -> None:
        chosen = {name: options[name] for name in Settings.__dataclass_fields__}
        settings = Settings(**chosen)
        if options["leave_out_of_mean"]:
            raise ValueError("--leave-out-of-mean is for several sets (--set): leave it out")
        inputs = _inputs(scorer, options)
        if options["compare"]:
            inputs.metrics.only(options["compare"])  # refused before anything long is computed
        joined, alignment, shift = inputs.aligned(options["shift"])
        evaluation = evaluate_metrics(
            joined,
            settings,
            alignment=alignment,
            reliability=inputs.human.reliability,
            facts=inputs.facts(shift),
            words=judge_words(inputs.human.marks, inputs.captions, scorer, settings),
        )
        robustness = _robustness(joined, inputs, scorer, options)
        files = evaluation_files(
            evaluation,
            robustness=robustness,
            compare=options["compare"],
            mean_of_scores=options["mean_of_scores"],
            source=options["human"].name,
        )
        out: Path = options["out"]
        with ResultFolder(out, files) as folder:
            write_files(
                folder, files, chosen_names(files, format=options["format"], latex=options["latex"])
            )
        self.describe(evaluation, [note for one in robustness for note in one.notes], options)

    def evaluate_sets(self, scorer: Scorer, options: Mapping[str, Any]) -> None:
        _refuse_single(options)
        read = read_sets(
            options["sets"],
            scorer,
            shift=options["shift"],
            whole=dict(_named_folder(text) for text in options["whole"]),
            choices=_choices(options),
            further={
                name: options[name] for name in ("videos", "corpus", "annotators", "seed", "pair")
            }
            | {"ratings": options["rows_are_ratings"], "only": options["only"]}
            | {"rules": _rules(options)},
            without_references=options["without_references"],
            mixes=_mixes(options),
            decimals=options["decimals"],
        )
        for inputs in read.inputs.values() if options["compare"] else ():
            inputs.metrics.only(options["compare"])  # refused before anything long is computed
        settings = Settings(**{name: options[name] for name in Settings.__dataclass_fields__})
        checks, seed = options["robustness"], settings.seed
        found = evaluate_sets(
            read.joined,
            settings,
            leave_out_of_mean=options["leave_out_of_mean"],
            facts=read.facts,
            notes=read.notes,
            robustness=read.checked(checks, scorer, seed=seed) if checks else None,
        )
        files = set_files(found, mean_of_scores=options["mean_of_scores"])
        of_checks = {f"{CHECKED}.{format}" for format in table_formats()}  # perhaps of a run before
        with ResultFolder(options["out"], {*files, *of_checks}) as folder:
            write_files(
                folder, files, chosen_names(files, format=options["format"], latex=options["latex"])
            )
        for note in found.notes:
            self.stderr.write(self.style.WARNING(f"Note: {note}."))
        for line in set_lines(found, options["compare"]):
            self.stdout.write(line)
        self.stdout.write(f"Written to {options['out']}. Signature: {found.signature}")

    def describe(self, evaluation: Evaluation, unchecked: list[str], options: Any) -> None:
        """A few lines for the person at the terminal."""
        self.stdout.write(sentences.facts_sentence(evaluation))
        for warning in dict.fromkeys([*evaluation.warnings, *unchecked]):
            self.stderr.write(self.style.WARNING(f"Note: {warning}."))
        for part in evaluation.parts:
            self.stdout.write(sentences.best_sentence(part))
            answer = asked(part, options["compare"])
            if answer is not None:
                alpha = evaluation.settings.alpha
                self.stdout.write("\n".join(sentences.verdict_sentences(part, answer, alpha)))
            for line in correlation_lines(evaluation, part.human):
                self.stdout.write(line)
        self.stdout.write(f"Written to {options['out']}. Signature: {evaluation.signature}")


def _inputs(scorer: Scorer, options: Mapping[str, Any]) -> Inputs:
    inputs = read_inputs(
        options["human"],
        metrics=options["metrics"],
        captions=options["captions"],
        references=options["references"],
        whole=Path(options["whole"][0]) if options["whole"] else None,
        videos=options["videos"],
        corpus=options["corpus"],
        annotators=options["annotators"],
        scorer=scorer,
        seed=options["seed"],
        pair=options["pair"],
        ratings=options["rows_are_ratings"],
        learned=_mixes(options),
        only=options["only"],
        rules=_rules(options),
    )
    if options["without_references"]:
        inputs = inputs.without_references()
    chosen = inputs.chosen(**_choices(options)).mixed(_mixes(options))
    return chosen.rounded(options["decimals"])


def _rules(options: Mapping[str, Any]) -> Rules:
    """Of quality control; the level of the tests between metrics is another."""
    return Rules(quality_alpha=options["quality_alpha"], minimum_pairs=options["minimum_pairs"])


def _mixes(options: Mapping[str, Any]) -> list[str]:
    """Trained metrics that are computed from the scores of a file; of captions they are computed as
    any other is, with what they are mixed of."""
    names = [artifact.name for artifact in options["learned"]] if _of_scores(options) else []
    return [name for name in names if mixing(name)]


def _of_scores(options: Mapping[str, Any]) -> bool:
    """Whether metrics are read from files, and not only computed of captions."""
    files = [*options["metrics"], *(one.metrics for one in options["sets"])]
    return any(files) or (bool(options["human"]) and is_evalset(options["human"]))


def _refuse_single(options: Mapping[str, Any]) -> None:
    """Options that are of one set only would be passed over in silence."""
    given = [
        *(name for name in ("metrics", "captions", "references", "foils")
          if options[name]),
        *(name for name in ("split", "ridge", "factor", "direction")
          if options[name] != getattr(DEFAULTS, name)),
    ]  # fmt: skip
    if given:
        raise ValueError(
            f"--{given[0].replace('_', '-')} is for one set (--human), not for several: leave it "
            "out. The files of a set stand in its folder, or as NAME=HUMAN,CAPTIONS,REFERENCES."
        )


def _choices(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "scores": options["scores"],
        "metrics": options["only"],
        "systems": options["systems"],
        "without": options["without"],
    }


def _robustness(
    joined: Joined, inputs: Inputs, scorer: Scorer, options: Mapping[str, Any]
) -> list[Robustness]:
    material, checks = None, options["robustness"]
    checks = [DRIFT] if checks is None else checks
    if inputs.captions is not None and scorer.metrics:
        material = Material(inputs.captions, scorer, options["foils"])
    return [
        check_robustness(joined, human, checks, material, seed=options["seed"])
        for human in map(str, joined.human.columns)
    ]


def _source(text: str) -> Source:
    try:
        return Source.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _named_folder(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not equals:
        raise ValueError(f"--whole {text}: with several sets it is NAME=FOLDER")
    return name, Path(folder)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _pair(text: str) -> tuple[str, str]:
    names = _names(text)
    if len(names) != 2:
        raise argparse.ArgumentTypeError("two metrics, with a comma between them")
    return names[0], names[1]


def shift_of(text: str) -> int | str:
    if text == AUTO:
        return AUTO
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a whole number, or {AUTO}") from None


def _checks(text: str) -> list[str]:
    names = list(CHECKS) if text == "all" else _names(text)
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no {unknown[0]!r}, only {', '.join(CHECKS)}")
    return names
