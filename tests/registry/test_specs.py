from pathlib import Path

import pytest

from judgecli.errors import ModelError
from judgecli.registry import cards, parse_spec
from judgecli.registry.weights_file import shard_names, shard_paths


def test_a_name_stands_for_all_its_files_the_default_first() -> None:
    spec = parse_spec("judgelm-7b")
    assert spec.card is cards()["judgelm-7b"]
    assert spec.files[0].quant == "Q4_K_M"
    assert len(spec.files) == len(spec.card.files)


@pytest.mark.parametrize("text", ["judgelm-7b:Q6_K", "JudgeLM-7B:q6_k", " judgelm-7b:Q6_k "])
def test_a_quantization_picks_one_file_whatever_the_case(text: str) -> None:
    spec = parse_spec(text)
    (file,) = spec.files
    assert spec.name_of(file) == "judgelm-7b:Q6_K"


@pytest.mark.parametrize(
    "text",
    [
        r"C:\m\j.gguf",
        "C:j.gguf",
        "./judgelm-7b",
        "folder/model",
        "judge.GGUF",
        "/tmp/Zoë X/j.gguf",
        r"\\server\share\j.gguf",
    ],
)
def test_paths_are_paths(text: str) -> None:
    # huggingface_hub issue 4915 and its kind: a drive letter must not be read as a scheme
    spec = parse_spec(text)
    assert spec.path == Path(text)
    assert spec.files == ()


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert parse_spec("~/m.gguf").path == tmp_path / "m.gguf"
    assert parse_spec("~nobody-of-that-name/m.gguf").path == Path("~nobody-of-that-name/m.gguf")


def test_an_existing_file_without_suffix_is_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights").touch()
    assert parse_spec("weights").path == Path("weights")


def test_a_card_wins_over_a_folder_of_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    assert parse_spec("demo").card is cards()["demo"]


@pytest.mark.parametrize(
    ("text", "repo", "path", "revision"),
    [
        ("hf:org/repo/file.gguf", "org/repo", "file.gguf", None),
        ("hf:org/re.po-1_x/sub/dir/file.gguf", "org/re.po-1_x", "sub/dir/file.gguf", None),
        ("hf:org/repo/file.gguf@v1.0", "org/repo", "file.gguf", "v1.0"),
        ("hf:org/repo/file.gguf@refs/pr/1", "org/repo", "file.gguf", "refs/pr/1"),
        ("HF:org/repo/file.GGUF", "org/repo", "file.GGUF", None),
    ],
)
def test_hub_files(text: str, repo: str, path: str, revision: str | None) -> None:
    spec = parse_spec(text)
    (file,) = spec.files
    assert (file.repo, file.paths, file.revision, file.quant) == (repo, (path,), revision, "")
    assert spec.card is None
    assert spec.name_of(file) == text


def test_any_shard_on_the_hub_stands_for_all() -> None:
    (file,) = parse_spec("hf:o/r/q4/m-00002-of-00003.gguf").files
    assert file.paths == tuple(f"q4/m-0000{number}-of-00003.gguf" for number in (1, 2, 3))


@pytest.mark.parametrize(
    "text",
    [
        "hf:",
        "hf:org/repo",
        "hf:repo/file.gguf",
        "hf:org/repo/../../x.gguf",
        "hf:org/repo/x.gguf@",
        "hf:a//b/c.gguf",
    ],
)
def test_malformed_hub_files_show_the_form(text: str) -> None:
    with pytest.raises(ModelError, match=r"write a hub file as hf:org/repo/file\.gguf"):
        parse_spec(text)


def test_a_url_is_not_fetched() -> None:
    with pytest.raises(ModelError, match="URLs are not fetched"):
        parse_spec("https://huggingface.co/o/r/resolve/main/m.gguf")


@pytest.mark.parametrize(
    ("text", "close"),
    [("judgelm7b", "judgelm-7b"), ("Qwen3-4", "qwen3-4b"), ("skywork", "skywork-critic-8b")],
)
def test_an_unknown_name_suggests_close_ones(text: str, close: str) -> None:
    with pytest.raises(ModelError, match="did you mean") as error:
        parse_spec(text)
    assert close in str(error.value)
    assert "judge models ls" in str(error.value)


@pytest.mark.parametrize("text", ["", "zzzzzz", ":Q4_K_M"])
def test_a_name_like_no_other_points_at_the_list(text: str) -> None:
    with pytest.raises(ModelError, match="judge models ls") as error:
        parse_spec(text)
    assert "did you mean" not in str(error.value)


def test_an_unknown_quantization_lists_those_there_are() -> None:
    with pytest.raises(ModelError, match="judgelm-7b has no quantization 'Q9'; there are Q2_K, Q3_K_M"):
        parse_spec("judgelm-7b:Q9")


def test_a_card_without_files_stops_with_its_note() -> None:
    with pytest.raises(ModelError, match="judgelm-13b: No GGUF file of JudgeLM 13B is known"):
        parse_spec("judgelm-13b")


def test_shards_by_name() -> None:
    assert shard_names("m.gguf") == ("m.gguf",)
    assert shard_names("m-00002-of-00002.gguf") == ("m-00001-of-00002.gguf", "m-00002-of-00002.gguf")
    assert shard_names("m-00001-of-00001.gguf") == ("m-00001-of-00001.gguf",)
    assert shard_names("m-00000-of-00000.gguf") == ("m-00000-of-00000.gguf",)
    assert shard_names("m-00003-of-00002.gguf") == ("m-00003-of-00002.gguf",)
    assert shard_paths(Path("a b/m-00002-of-00002.gguf"))[0] == Path("a b/m-00001-of-00002.gguf")
    assert shard_paths(Path()) == (Path(),)
