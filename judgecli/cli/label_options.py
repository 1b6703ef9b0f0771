"""Options of the commands that hold a judge against people."""

from pathlib import Path
from typing import Annotated, Any

import typer


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Labels", **{"show_default": False, **settings})


Subject = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT",
        help="A run file, verdicts made elsewhere, or labelled pairs, which are judged first.",
        show_default=False,
    ),
]
LabelsIfAny = Annotated[
    str | None,
    typer.Argument(
        metavar="LABELS", help="What people say, by id; left out where SUBJECT holds it.", show_default=False
    ),
]
Run = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A run file, or verdicts made elsewhere.",
        show_default=False,
        readable=False,
    ),
]
Labels = Annotated[str, typer.Argument(metavar="LABELS", help="What people say, by id.", show_default=False)]

By = Annotated[
    str | None, _option("--by", metavar="FIELD", help="Also show each value of this field by itself.")
]
Group = Annotated[
    str | None,
    _option("--group", metavar="FIELD", help="Items with the same value belong together, as one question's."),
]
FailuresAsTies = Annotated[
    bool, _option("--failures-as-ties", help="Count failures as ties, as published figures often do.")
]
LabelField = Annotated[
    str | None, _option("--label-field", metavar="NAME", help="Where LABELS says who is better.")
]
IdField = Annotated[
    str | None, _option("--id-field", metavar="NAME", help="Where LABELS has the ids of the items.")
]
Epsilon = Annotated[
    float,
    _option(
        "--epsilon",
        metavar="X",
        help="How much an annotator's price makes up for: 0.2 experts, 0.15 skilled, 0.1 crowd.",
        show_default=True,
    ),
]
CalibrationOut = Annotated[
    Path, _option(*("--out", "-o"), metavar="FILE", help="The calibration file to write.", readable=False)
]
Agree = Annotated[
    float,
    _option(
        "--agree",
        metavar="SHARE",
        help="Least agreement with people of the verdicts that are trusted.",
        show_default=True,
    ),
]
Confidence = Annotated[
    float,
    _option(
        "--confidence", metavar="P", help="How sure that has to be, over the labels drawn.", show_default=True
    ),
]
LabelsFile = Annotated[
    str | None,
    _option("--labels", metavar="FILE", help="Labels of some pairs: adds the win rate people would give."),
]
