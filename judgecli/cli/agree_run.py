"""What `judge agree` does with its options: judge first where that is to be done, compare, report."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from judgecli.analysis import summarise_agreement, summarise_pairs
from judgecli.cli.carrying_out import carry_out, report_outcome
from judgecli.cli.output import check_report_files, show_report
from judgecli.cli.pair_run import outcome_of
from judgecli.cli.values import pair_options
from judgecli.errors import ModelError, UsageError
from judgecli.registry import default_model
from judgecli.run import PreparedRun
from judgecli.run.labelled import READ_AS_PAIRS, is_judged, load_labelled, prepare_labelled
from judgecli.types import AgreementSummary, Labels, RunRecord
from judgecli.types.pipes import reread

_COMPARING = ("subject", "labels", "by", "group", "failures_as_ties", "label_field", "id_field")
_SHOWING = ("form", "report", "seed", "quiet")


def run_agree(values: Mapping[str, Any]) -> None:
    """Carry out `judge agree` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    with reread([values["subject"]]):
        if is_judged(values["subject"]):
            _compare_judged(values)
        else:
            _judge_and_compare(values)


def _compare_judged(values: Mapping[str, Any]) -> None:
    subject, labels_file = values["subject"], values["labels"]
    useless = list(_given_for_judging(values["context"]))
    if useless:
        message = f"{', '.join(useless)}: of no use here, since {subject} is judged already"
        raise UsageError(f"{message}; leave out what is for judging")
    check_report_files(values["report"], (subject, labels_file))
    record, labels = load_labelled(Path(subject), labels_file, seed=values["seed"], **_fields(values))
    summary = _summary(values, record, labels)
    show_report(record, summary, values["form"].value, values["report"])


def _given_for_judging(context: typer.Context) -> Iterator[str]:
    """Yield the options on the command line that only judging has a use for; defaults of files may stand."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and parameter.name not in (*_COMPARING, *_SHOWING):
            yield parameter.opts[0]


def _judge_and_compare(values: Mapping[str, Any]) -> None:
    options = pair_options({**values, "baseline": values["subject"], "candidate": None})
    found: list[Labels] = []

    def prepare() -> PreparedRun:
        needed = {"--by": values["by"], "--group": values["group"]}
        run, labels = prepare_labelled(options, values["labels"], fields=needed, **_fields(values))
        found.append(labels)
        return run

    inputs = (values["subject"], values["labels"], values["reference"], values["questions"])
    try:
        record = carry_out(values, options, prepare, inputs)
    except ModelError as error:
        if options.model is not None or default_model() is not None:
            raise
        raise ModelError(f"{values['subject']}: {READ_AS_PAIRS}; {error}") from error
    if record is None:
        return
    outcome = outcome_of(record, summarise_pairs(record))
    report_outcome(values, options.run_file, outcome, record, _summary(values, record, found[0]))


def _summary(values: Mapping[str, Any], record: RunRecord, labels: Labels) -> AgreementSummary:
    asked = {name: values[name] for name in ("by", "group", "failures_as_ties")}
    return summarise_agreement(record, labels, **asked)


def _fields(values: Mapping[str, Any]) -> dict[str, str | None]:
    """Return where a file of labels has what; of two names for the id, the last one is its."""
    names = values["id_field"]
    return {"id_field": names[-1] if names else None, "label_field": values["label_field"]}
