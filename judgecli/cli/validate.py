"""`judge validate`: may the judge stand in for one of the annotators?"""

from judgecli.cli import label_options as lo
from judgecli.cli import options as o
from judgecli.cli.exits import exits


@exits
def validate(
    run: lo.Run,
    labels: lo.Labels,
    epsilon: lo.Epsilon = 0.2,
    group: lo.Group = None,
    label_field: lo.LabelField = None,
    id_field: lo.IdField = None,
    seed: o.Seed = 0,
    form: o.FormOption = o.Form.TERMINAL,
    report: o.ReportFiles = None,
    quiet: o.Quiet = False,
) -> None:
    """Test whether the judge may stand in for an annotator.

    This is the Alternative Annotator Test. LABELS holds the labels of three annotators or more; each of them
    is left out in turn, and the judge and that annotator are held against the others. With --group, items
    that belong together count as one.

    Example: judge validate a-vs-b.judge.jsonl annotators.jsonl --epsilon 0.15
    """
    del quiet  # there is nothing to say beside the report
    from judgecli.analysis import summarise_validation
    from judgecli.answers import LabelReading
    from judgecli.cli.output import check_report_files, show_report
    from judgecli.run.labelled import load_labelled, opened

    check_report_files(report, (str(run), labels))
    reading = LabelReading(id_field=id_field, label_field=label_field, seed=seed)
    with opened(str(run)) as subject:
        record, known = load_labelled(subject, labels, reading)
    summary = summarise_validation(record, known, epsilon=epsilon, group=group)
    show_report(record, summary, form.value, report)
