"""Answer files to pairs: detect the format, read it, join both sides, and say what was found."""

from judgecli.answers.detection import format_names
from judgecli.answers.loading import load_pairs
from judgecli.answers.options import (
    AnswerFile,
    Fields,
    InputOptions,
    PairBy,
    PairedInput,
    PairingReport,
)
from judgecli.answers.reading import read_answers

__all__ = [
    "AnswerFile",
    "Fields",
    "InputOptions",
    "PairBy",
    "PairedInput",
    "PairingReport",
    "format_names",
    "load_pairs",
    "read_answers",
]
