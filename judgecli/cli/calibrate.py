"""`judge calibrate`: from which confidence on a judge's verdicts can be trusted."""

from judgecli.cli import label_options as lo
from judgecli.cli import options as o
from judgecli.cli.exits import exits


@exits
def calibrate(
    run: lo.Run,
    labels: lo.Labels,
    out: lo.CalibrationOut,
    agree: lo.Agree = 0.8,
    confidence: lo.Confidence = 0.9,
    group: lo.Group = None,
    label_field: lo.LabelField = None,
    id_field: lo.IdField = None,
    seed: o.Seed = 0,
    form: o.FormOption = o.Form.TERMINAL,
    report: o.ReportFiles = None,
    quiet: o.Quiet = False,
) -> None:
    """Fit a calibration to labels, and write it to a file.

    On one half of the labels a temperature for the judge's probabilities is fitted; on the other half the
    confidence is found from which on verdicts agree with people as asked. `judge pair --calibration` applies
    both.

    Example: judge calibrate a-vs-b.judge.jsonl labels.jsonl -o calibration.json
    """
    from judgecli.analysis import summarise_calibration
    from judgecli.answers import LabelReading
    from judgecli.cli.console import say
    from judgecli.cli.output import check_report_files, show_report
    from judgecli.run.calibration_file import check_calibration_place, write_calibration
    from judgecli.run.labelled import load_labelled, opened

    check_report_files(report, (str(run), labels, str(out)))
    check_calibration_place(out, (str(run), labels))
    reading = LabelReading(id_field=id_field, label_field=label_field, seed=seed)
    with opened(str(run)) as subject:
        record, known = load_labelled(subject, labels, reading)
    summary = summarise_calibration(record, known, agree=agree, confidence=confidence, group=group, seed=seed)
    write_calibration(out, summary)
    if not quiet:
        say(f"calibration written to {out}")
    show_report(record, summary, form.value, report)
