from pathlib import Path

import pytest

import judgecli
from judgecli.errors import ModelError
from judgecli.registry import cards, parse_spec
from judgecli.registry.cards import load_card

CARD = """
title = "Tiny judge"
family = "chat"
base = "Tiny"
n_ctx = 512
licence = "MIT"
default_quant = "Q8_0"

[[file]]
quant = "Q8_0"
repo = "some/repo"
paths = ["tiny.gguf"]
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "tiny-1.5b.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_card_loads_and_is_named_after_its_file() -> None:
    assert {
        "judgelm-7b",
        "judgelm-13b",
        "judgelm-33b",
        "prometheus-2-7b",
        "skywork-critic-8b",
    } <= cards().keys()
    assert {"selene-1-mini-8b", "qwen2.5-0.5b-instruct", "qwen2.5-1.5b-instruct", "demo"} <= cards().keys()
    assert {"qwen2.5-3b-instruct", "qwen2.5-7b-instruct"} <= cards().keys()
    assert {"qwen3-0.6b", "qwen3-1.7b", "qwen3-4b", "qwen3-8b"} <= cards().keys()
    assert list(cards()) == sorted(cards())
    assert all(card.name == name for name, card in cards().items())


def test_judgelm_is_non_commercial_and_has_2048_tokens() -> None:
    for name in ("judgelm-7b", "judgelm-13b", "judgelm-33b"):
        card = cards()[name]
        assert (card.family, card.n_ctx, card.licence_note) == ("judgelm", 2048, "non-commercial")


WITHOUT_GGUF = {
    *("auto-j-13b", "compassjudger-2-7b", "compassjudger-2-32b", "judgelm-13b", "judgelrm-3b", "judgelrm-7b"),
    "pandalm-7b",
}


def test_a_model_without_a_known_gguf_says_what_to_do() -> None:
    assert {name for name, card in cards().items() if not card.files} == WITHOUT_GGUF
    for name in WITHOUT_GGUF:
        card = cards()[name]
        with pytest.raises(ModelError) as error:
            parse_spec(name)
        sentence = str(error.value)
        assert sentence.startswith(
            f"{name}: No GGUF file of {card.title.removesuffix(' v1.0')} is known. Convert "
        )
        assert sentence.count(f"--model FILE.gguf --prompt {card.family}") == 1


def test_every_card_names_a_family_that_is_there() -> None:
    families = {path.stem for path in (Path(judgecli.__file__).parent / "prompts/families").glob("*.toml")}
    assert {card.family for card in cards().values()} <= families


def test_qwen_3b_has_another_licence_than_its_sisters() -> None:
    assert cards()["qwen2.5-3b-instruct"].licence == "Qwen Research licence"
    assert cards()["qwen2.5-1.5b-instruct"].licence == "Apache-2.0"


def test_a_split_model_lists_all_its_shards_and_hashes() -> None:
    (file,) = cards()["qwen2.5-7b-instruct"].files
    assert len(file.paths) == len(file.sha256) == 2
    assert all(file.sha256)


def test_only_the_demo_comes_from_a_package() -> None:
    packaged = {name for name, card in cards().items() if any(file.package for file in card.files)}
    demos = {name for name, card in cards().items() if card.demo}
    assert packaged == demos == {"demo"}


def test_a_card_is_read(tmp_path: Path) -> None:
    card = load_card(written(tmp_path, CARD))
    assert (card.name, card.title, card.n_ctx) == ("tiny-1.5b", "Tiny judge", 512)
    (file,) = card.files
    assert (file.repo, file.paths, file.sha256) == ("some/repo", ("tiny.gguf",), (None,))
    assert (file.revision, file.size_bytes, file.approx_bytes) == (None, None, None)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('base = "Tiny"', 'bass = "Tiny"', "unknown key 'bass'"),
        ('quant = "Q8_0"\nrepo', 'kwant = "Q8_0"\nrepo', "unknown key 'kwant'"),
        ('base = "Tiny"', "", "base is missing"),
        ('paths = ["tiny.gguf"]', "", "paths is missing"),
        ("n_ctx = 512", 'n_ctx = "512"', "n_ctx must be of type int, not str"),
        ("n_ctx = 512", "n_ctx = true", "n_ctx must be of type int, not bool"),
        (
            'default_quant = "Q8_0"',
            'default_quant = "Q4_0"',
            "default_quant 'Q4_0' is not the quant of a file",
        ),
        ('repo = "some/repo"', "", "give either repo or package"),
        ('repo = "some/repo"', 'repo = "some/repo"\nrevision = "ba6bf44"', "40 hexadecimal digits"),
        ('paths = ["tiny.gguf"]', 'paths = ["tiny.gguf"]\nsha256 = ["abc"]', "64 hexadecimal digits"),
        ('paths = ["tiny.gguf"]', 'paths = ["a.gguf", "b.gguf"]\nsha256 = [""]', "one sha256 a path"),
        ('paths = ["tiny.gguf"]', 'paths = ["a.gguf"]\nsize_bytes = 1\napprox_bytes = 2', "not both"),
        ("[[file]]", "[[file", "not a readable model card"),
    ],
)
def test_a_faulty_card_is_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in CARD
    with pytest.raises(ModelError, match=r"tiny-1\.5b\.toml") as error:
        load_card(written(tmp_path, CARD.replace(old, new)))
    assert sentence in str(error.value)


def test_two_files_of_one_quantization_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="same quant"):
        load_card(written(tmp_path, CARD + '[[file]]\nquant = "q8_0"\nrepo = "a/b"\npaths = ["c.gguf"]\n'))


def test_a_card_without_files_needs_a_note(tmp_path: Path) -> None:
    head = CARD.partition("default_quant")[0]
    with pytest.raises(ModelError, match="needs a note"):
        load_card(written(tmp_path, head))
    assert load_card(written(tmp_path, head + 'note = "convert it"\n')).files == ()
