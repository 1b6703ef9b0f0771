"""Answer files to items: detect the format, read it, join the files, and say what was found."""

from judgecli.answers.detection import format_names
from judgecli.answers.loaded import AnswerFile, AnswersReport, LoadedAnswers, PairedInput, PairingReport
from judgecli.answers.loading import load_answers, load_many, load_pairs
from judgecli.answers.options import AnswersOptions, Fields, InputOptions, LoadingOptions, PairBy
from judgecli.answers.reading import read_answers

__all__ = [
    "AnswerFile",
    "AnswersOptions",
    "AnswersReport",
    "Fields",
    "InputOptions",
    "LoadedAnswers",
    "LoadingOptions",
    "PairBy",
    "PairedInput",
    "PairingReport",
    "format_names",
    "load_answers",
    "load_many",
    "load_pairs",
    "read_answers",
]
