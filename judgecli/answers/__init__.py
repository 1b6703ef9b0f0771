"""Answer files to items: detect the format, read it, join the files, and say what was found.

So are labels that people gave to the items, and verdicts that were made elsewhere.
"""

from judgecli.answers.detection import format_names
from judgecli.answers.inspecting import Answers, Inspected, Joining, inspect_files
from judgecli.answers.labels import LabelFile, labelled_items, read_label_file, read_labels
from judgecli.answers.labels.pairs import labels_of, with_fields
from judgecli.answers.loaded import AnswerFile, AnswersReport, LoadedAnswers, PairedInput, PairingReport
from judgecli.answers.loading import load_answers, load_many, load_pairs
from judgecli.answers.options import (
    USUAL_READING,
    AnswersOptions,
    Fields,
    InputOptions,
    LabelReading,
    LoadingOptions,
    PairBy,
)
from judgecli.answers.reading import read_answers
from judgecli.answers.verdict_files import VerdictRow, holds_verdicts, read_verdicts

__all__ = [
    "USUAL_READING",
    "AnswerFile",
    "Answers",
    "AnswersOptions",
    "AnswersReport",
    "Fields",
    "InputOptions",
    "Inspected",
    "Joining",
    "LabelFile",
    "LabelReading",
    "LoadedAnswers",
    "LoadingOptions",
    "PairBy",
    "PairedInput",
    "PairingReport",
    "VerdictRow",
    "format_names",
    "holds_verdicts",
    "inspect_files",
    "labelled_items",
    "labels_of",
    "load_answers",
    "load_many",
    "load_pairs",
    "read_answers",
    "read_label_file",
    "read_labels",
    "read_verdicts",
    "with_fields",
]
