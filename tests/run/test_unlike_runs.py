"""What may go on in a run file, and what begins anew or is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.scripted import ScriptedBackend
from judgecli.errors import DataError, OutputError
from judgecli.run import Orders, execute, load_run, prepare_pair
from judgecli.types import EngineOptions, Failure, Request, Winner
from tests.judging import read_rows, two_files
from tests.run.made_up import RUN, Runs, both, by_seat, pair_options, words


def test_fresh_begins_anew(runs: Runs) -> None:
    runs()
    record = runs(lambda _: "7 7\n", fresh=True)
    assert runs.asked == both("q1", "q2", "q3")
    assert {verdict.winner for verdict in record.verdicts} == {Winner.TIE}
    assert len(read_rows(RUN, "header")) == 1


def test_a_fresh_run_that_cannot_load_its_judge_leaves_the_old_one(runs: Runs) -> None:
    runs()
    content = RUN.read_bytes()

    def broken() -> Any:
        raise OSError("no weights")

    with pytest.raises(OSError, match="no weights"):
        execute(replace(runs.prepare(fresh=True), load=broken))
    assert RUN.read_bytes() == content


@pytest.mark.parametrize("fresh", [True, False])
def test_a_file_that_is_no_run_is_never_overwritten(runs: Runs, folder: Path, fresh: bool) -> None:
    for name in ("a.jsonl", "notes.txt"):
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8") if path.exists() else "notes", encoding="utf-8")
        before = path.read_bytes()
        with pytest.raises(DataError, match="there already and not a run file"):
            runs(out=path, fresh=fresh)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"orders": Orders.AB}, "--orders (both, now ab)"),
        ({"min_mass": 0.25}, "--min-mass (0.5, now 0.25)"),
        ({"reasons": True}, "--reasons (False, now True)"),
        ({"prompt": "chat"}, "--prompt (judgelm, now chat)"),
    ],
)
def test_an_unlike_run_is_refused_with_the_field(runs: Runs, change: dict[str, Any], name: str) -> None:
    runs()
    content = RUN.read_bytes()
    options = pair_options(ScriptedBackend(by_seat))
    with pytest.raises(DataError) as error:
        prepare_pair(replace(options, **change))
    assert str(error.value) == (
        f"{RUN} holds a run with another {name}; go on with the old value, start anew with --fresh, "
        "or write elsewhere with --out"
    )
    assert RUN.read_bytes() == content


def test_threads_and_context_do_not_matter(runs: Runs) -> None:
    runs()
    runs(engine=EngineOptions(n_threads=3, parallel=4), n_ctx=5000)
    assert runs.asked == []


OLD_BACKEND = {"name": "llama_cpp", "device": "gpu", "n_ubatch": 512, "type_k": "f16", "flash_attn": True}


def asked_with(settings: dict[str, Any]) -> list[str]:
    """Run with an engine of these settings; return the ids it was asked."""
    asked = []

    def noted(request: Request) -> str:
        asked.append(request.item_id)
        return "8 6\n"

    backend = ScriptedBackend(noted)
    backend.settings = settings  # type: ignore[assignment]
    execute(prepare_pair(pair_options(backend)))
    return asked


@pytest.mark.usefixtures("runs")
def test_a_run_file_older_than_a_setting_goes_on_with_its_default() -> None:
    spread = {"offload": None, "split_mode": "layer", "tensor_split": None}
    assert len(asked_with(OLD_BACKEND)) == 6
    assert asked_with(OLD_BACKEND | spread) == []
    for name, value, named in (
        ("offload", 20, "--n-gpu-layers (none, now 20)"),
        ("split_mode", "row", "--split-mode (layer, now row)"),
        ("tensor_split", [3.0, 1.0], "--tensor-split (none, now [3.0, 1.0])"),
        ("n_ubatch", 128, "--n-ubatch (512, now 128)"),
    ):
        with pytest.raises(DataError) as error:
            asked_with(OLD_BACKEND | spread | {name: value})
        assert named in str(error.value)


@pytest.mark.usefixtures("runs")
def test_a_split_over_gpus_is_read_back_as_it_was_written() -> None:
    settings = OLD_BACKEND | {"offload": 20, "split_mode": "row", "tensor_split": [3.0, 1.0]}
    assert len(asked_with(settings)) == 6
    assert asked_with(settings) == []


@pytest.fixture
def long_pair(runs: Runs, folder: Path) -> Runs:
    """Of two pairs the second needs more than 512 tokens."""
    two_files(folder, ["a one", words(600)], ["b one", "b two"])
    return runs


def test_a_pair_too_long_is_judged_once_it_fits(long_pair: Runs) -> None:
    assert long_pair(n_ctx=512).verdicts[1].failure is Failure.TOO_LONG
    assert long_pair.asked == both("q1")
    assert long_pair(n_ctx=2048).verdicts[1].winner == Winner.A
    assert long_pair.asked == both("q2")


def test_too_long_is_written_once_and_again_under_another_limit(long_pair: Runs) -> None:
    long_pair(n_ctx=512)
    long_pair(n_ctx=512)
    assert len(read_rows(RUN, "judgment")) == 4
    assert "of 300" in (long_pair(n_ctx=300).verdicts[1].detail or "")
    assert len(read_rows(RUN, "judgment")) == 6


def test_a_judgment_made_with_more_context_stays(long_pair: Runs) -> None:
    whole = long_pair(n_ctx=2048)
    run = long_pair.prepare(n_ctx=512)
    assert run.too_long == []
    execute(run)
    assert load_run(RUN).verdicts == whole.verdicts


def test_a_place_that_cannot_be_written_is_known_before_the_judge_is_loaded(runs: Runs, folder: Path) -> None:
    run = replace(
        runs.prepare(out=folder / "no" / "x.jsonl"), load=lambda: pytest.fail("the judge was loaded")
    )
    with pytest.raises(OutputError, match="there is no folder"):
        execute(run)
