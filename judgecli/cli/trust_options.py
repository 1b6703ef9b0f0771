"""Options that say how far the judge is trusted, and who is asked where it is not."""

from pathlib import Path
from typing import Annotated, Any

import typer


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Trust", **{"show_default": False, **settings})


Escalate = Annotated[
    str | None,
    _option("--escalate", metavar="MODEL", help="A stronger judge for doubtful pairs, as --model."),
]
EscalatePrompt = Annotated[
    str | None, _option("--escalate-prompt", metavar="FAMILY", help="Its prompt family.")
]
Below = Annotated[
    float | None,
    _option("--below", metavar="P", help="Doubt verdicts whose probability is under P."),
]
OrderDependent = Annotated[
    bool,
    _option("--order-dependent", help="Doubt pairs whose orders disagree; so if no condition is given."),
]
EscalateFailed = Annotated[
    bool, _option("--failed", help="Also hand on pairs on which the first judge failed.")
]
CalibrationFile = Annotated[
    Path | None,
    _option(
        "--calibration",
        metavar="FILE",
        help="What judge calibrate wrote: temperature and threshold.",
        readable=False,
    ),
]
Entropy = Annotated[
    bool, _option("--entropy", help="Also measure the judge's token entropy; costs a second reading.")
]
Base = Annotated[
    str | None,
    _option("--base", metavar="MODEL", help="Also the entropy of the model it was fine-tuned from."),
]
