from pathlib import Path
from typing import Any

import pytest

from judgecli.errors import ModelError
from judgecli.registry.suitability import check_weights
from tests.gguf_files import Tensor, gguf_bytes, model_metadata, shard_bytes, write_gguf


def refused(*paths: Path) -> str:
    with pytest.raises(ModelError) as error:
        check_weights(paths)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_language_model_passes(tmp_path: Path) -> None:
    assert check_weights([write_gguf(tmp_path / "m.gguf")]).architecture == "llama"


def test_pooling_none_and_causal_true_are_a_language_model(tmp_path: Path) -> None:
    metadata = model_metadata(llama__pooling_type=0, llama__attention__causal=True, general__type="model")
    assert check_weights([write_gguf(tmp_path / "m.gguf", metadata)]).pooling_type == 0


@pytest.mark.parametrize("missing", [1, 64, 127])
def test_a_truncated_file_says_both_sizes(tmp_path: Path, missing: int) -> None:
    whole = gguf_bytes(tensors=[Tensor("a", (32,))])
    (tmp_path / "m.gguf").write_bytes(whole[:-missing])
    expected = f"truncated: header wants {len(whole):,} bytes, file has {len(whole) - missing:,}"
    assert expected in refused(tmp_path / "m.gguf")


def test_a_longer_file_passes(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    path.write_bytes(path.read_bytes() + b"\0" * 100)
    assert check_weights([path]).n_tensors == 1


@pytest.mark.parametrize(
    "architecture",
    [
        "bert",
        "nomic-bert",
        "nomic-bert-moe",
        "jina-bert-v2",
        "modern-bert",
        "t5",
        "t5encoder",
        "clip",
        "llama-embed",
    ],
)
def test_encoders_are_refused(tmp_path: Path, architecture: str) -> None:
    message = refused(write_gguf(tmp_path / "m.gguf", model_metadata(architecture)))
    assert f"{architecture} is not a model that writes text" in message


def test_pangu_embedded_is_a_language_model_despite_its_name(tmp_path: Path) -> None:
    check_weights([write_gguf(tmp_path / "m.gguf", model_metadata("pangu-embedded"))])


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        (model_metadata("qwen3", qwen3__pooling_type=3), "an embedding model (qwen3) cannot judge"),
        (model_metadata("llama", llama__attention__causal=False), "not a model that writes text"),
        (model_metadata(general__type="adapter"), "the file holds a GGUF adapter, not a model"),
        ({"general.name": "x"}, "the header names no architecture"),
    ],
)
def test_other_files_that_cannot_judge(tmp_path: Path, metadata: dict[str, Any], sentence: str) -> None:
    assert sentence in refused(write_gguf(tmp_path / "m.gguf", metadata))


def test_a_vocabulary_without_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf_bytes(tensors=[]))
    assert "a vocabulary without weights cannot judge" in refused(tmp_path / "m.gguf")


def shards(folder: Path, count: int) -> list[Path]:
    paths = [folder / f"m-{number + 1:05d}-of-{count:05d}.gguf" for number in range(count)]
    for path, data in zip(paths, shard_bytes(count), strict=True):
        path.write_bytes(data)
    return paths


def test_a_split_model_passes(tmp_path: Path) -> None:
    assert check_weights(shards(tmp_path, 3)).split_count == 3


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    paths = shards(tmp_path, 3)
    paths[1].unlink()
    assert "m-00002-of-00003.gguf: this shard of 3 is missing" in refused(*paths)


def test_a_truncated_shard_is_named(tmp_path: Path) -> None:
    paths = shards(tmp_path, 2)
    paths[1].write_bytes(paths[1].read_bytes()[:-1])
    assert "m-00002-of-00002.gguf: truncated" in refused(*paths)


def test_shards_under_the_wrong_names_are_refused(tmp_path: Path) -> None:
    first, second = shards(tmp_path, 2)
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    assert "its header says shard 2 of 2, its name shard 1 of 2" in refused(first, second)


def test_one_shard_under_a_plain_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(shard_bytes(2)[0])
    assert "its header says shard 1 of 2, its name shard 1 of 1" in refused(tmp_path / "m.gguf")


@pytest.mark.parametrize("n_layers", [0, 100_000, 2**31 - 1])
def test_a_number_of_layers_that_would_end_the_process(tmp_path: Path, n_layers: int) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes(model_metadata(llama__block_count=n_layers)))
    with pytest.raises(ModelError, match=f"damaged: the header says {n_layers} layers"):
        check_weights([path])
