"""What `judge agree` does with its options: judge first where that is to be done, compare, report."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer

from judgecli.analysis import summarise_agreement, summarise_pairs
from judgecli.answers import LabelReading
from judgecli.cli.carrying_out import carry_out, report_outcome
from judgecli.cli.output import check_report_files, show_report
from judgecli.cli.pair_run import outcome_of
from judgecli.cli.values import pair_options
from judgecli.errors import ModelError, UsageError
from judgecli.registry import default_model
from judgecli.run import PreparedRun
from judgecli.run.labelled import READ_AS_PAIRS, Subject, load_labelled, opened, prepare_labelled
from judgecli.types import AgreementSummary, Labels, RunRecord

_COMPARING = ("subject", "labels", "by", "group", "failures_as_ties", "label_field", "id_field")
_SHOWING = ("form", "report", "seed", "quiet")


def run_agree(values: Mapping[str, Any]) -> None:
    """Carry out `judge agree` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    with opened(values["subject"]) as subject:
        if subject.is_judged:
            _compare_judged(subject, values)
        else:
            _judge_and_compare(subject, values)


def _compare_judged(subject: Subject, values: Mapping[str, Any]) -> None:
    labels_file = values["labels"]
    useless = list(_given_for_judging(values["context"]))
    if useless:
        message = f"{', '.join(useless)}: of no use here, since {subject.path} is judged already"
        raise UsageError(f"{message}; leave out what is for judging")
    check_report_files(values["report"], (subject.path, labels_file))
    record, labels = load_labelled(subject, labels_file, _reading(values))
    summary = _summary(values, record, labels)
    show_report(record, summary, values["form"].value, values["report"])


def _given_for_judging(context: typer.Context) -> Iterator[str]:
    """Yield the options on the command line that only judging has a use for; defaults of files may stand."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and parameter.name not in (*_COMPARING, *_SHOWING):
            yield parameter.opts[0]


def _judge_and_compare(subject: Subject, values: Mapping[str, Any]) -> None:
    options = pair_options({**values, "baseline": subject.path, "candidate": None})
    found: list[Labels] = []

    def prepare() -> PreparedRun:
        needed = {"--by": values["by"], "--group": values["group"]}
        run, labels = prepare_labelled(subject, options, values["labels"], _reading(values), needed)
        found.append(labels)
        return run

    inputs = (subject.path, values["labels"], values["reference"], values["questions"])
    try:
        record = carry_out(values, options, prepare, inputs)
    except ModelError as error:
        if options.model is not None or default_model() is not None:
            raise
        raise ModelError(f"{subject.path}: {READ_AS_PAIRS}; {error}") from error
    if record is None:
        return
    outcome = outcome_of(record, summarise_pairs(record))
    report_outcome(values, options.run_file, outcome, record, _summary(values, record, found[0]))


def _summary(values: Mapping[str, Any], record: RunRecord, labels: Labels) -> AgreementSummary:
    asked = {name: values[name] for name in ("by", "group", "failures_as_ties")}
    return summarise_agreement(record, labels, **asked)


def _reading(values: Mapping[str, Any]) -> LabelReading:
    """Return how a file of labels is read; of two names for the id, the last one is its."""
    names = values["id_field"]
    return LabelReading(
        id_field=names[-1] if names else None, label_field=values["label_field"], seed=values["seed"]
    )
