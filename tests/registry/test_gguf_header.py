import os
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecli.errors import ModelError
from judgecli.registry import inspect_gguf
from judgecli.registry.gguf_header import BLOCKS, parse_header
from tests.gguf_files import F16, Q4_0, Q8_0, Tensor, gguf_bytes, model_metadata, write_gguf

WHOLE = gguf_bytes(model_metadata(tokenizer__chat_template="{{ messages }}"))


def test_says_what_the_file_is(tmp_path: Path) -> None:
    metadata = model_metadata("qwen2", 32768, general__type="model", tokenizer__chat_template="{{ x }}")
    header = inspect_gguf(write_gguf(tmp_path / "m.gguf", metadata))
    assert (header.architecture, header.name, header.general_type) == ("qwen2", "tiny", "model")
    assert (header.n_ctx_train, header.n_tensors, header.has_chat_template) == (32768, 1, True)
    assert (header.split_no, header.split_count) == (0, 1)
    assert (header.pooling_type, header.is_causal) == (None, True)


def test_what_a_file_does_not_say_is_none(tmp_path: Path) -> None:
    header = inspect_gguf(write_gguf(tmp_path / "m.gguf", {"general.alignment": 32}))
    assert (header.architecture, header.name, header.n_ctx_train) == (None, None, None)
    assert header.has_chat_template is False


def test_keys_may_come_in_any_order(tmp_path: Path) -> None:
    metadata = dict(reversed(model_metadata().items()))
    assert inspect_gguf(write_gguf(tmp_path / "m.gguf", metadata)).n_ctx_train == 2048


@pytest.mark.parametrize(
    "tensors",
    [
        [Tensor("a", (7,))],
        [Tensor("a", (64, 3), Q4_0), Tensor("b", (32, 5), Q8_0), Tensor("c", (3, 5, 2), F16)],
        [Tensor("a", ()), Tensor("b", (1, 1, 1, 1))],
    ],
)
@pytest.mark.parametrize("alignment", [32, 64])
def test_expected_bytes_is_where_the_last_tensor_ends(tensors: list[Tensor], alignment: int) -> None:
    metadata = model_metadata(general__alignment=alignment)
    data = gguf_bytes(metadata, tensors, alignment=alignment)
    padding = -tensors[-1].n_bytes % alignment
    assert parse_header(data, "m.gguf").expected_bytes == len(data) - padding


def test_a_chat_template_of_any_length_counts(tmp_path: Path) -> None:
    metadata = model_metadata(tokenizer__chat_template="x" * 100_000)
    assert inspect_gguf(write_gguf(tmp_path / "m.gguf", metadata)).has_chat_template


def test_agrees_with_the_gguf_package(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    metadata = model_metadata(a__list=[1, 2, 3], a__float=1.5, a__negative=-4, a__flag=False)
    tensors = [Tensor("a", (64, 3), Q4_0), Tensor("b", (32, 5), Q8_0)]
    path = write_gguf(tmp_path / "m.gguf", metadata, *tensors)
    reader = gguf.GGUFReader(path)
    last = reader.tensors[-1]
    header = inspect_gguf(path)
    assert header.expected_bytes == last.data_offset + last.n_bytes
    assert header.n_ctx_train == reader.fields["llama.context_length"].contents()


def test_block_sizes_agree_with_the_gguf_package() -> None:
    gguf = pytest.importorskip("gguf")
    theirs = {int(code): sizes for code, sizes in gguf.GGML_QUANT_SIZES.items()}
    assert {code: theirs[code] for code in BLOCKS if code in theirs} == {
        c: b for c, b in BLOCKS.items() if c in theirs
    }
    assert len(BLOCKS.keys() & theirs.keys()) >= 30


def test_a_large_vocabulary_is_skipped_quickly(tmp_path: Path) -> None:
    tokens = [f"token{number}" for number in range(200_000)]
    path = write_gguf(tmp_path / "m.gguf", model_metadata(tokenizer__ggml__tokens=tokens))
    started = time.perf_counter()
    inspect_gguf(path)
    assert time.perf_counter() - started < 0.5


@pytest.mark.demo
def test_the_demo_file_is_read_at_once() -> None:
    from judgecli.registry import resolve

    try:
        path = resolve("demo").path
    except ModelError:
        pytest.skip("the demo judge is not installed")
    started = time.perf_counter()
    header = inspect_gguf(path)
    assert time.perf_counter() - started < 0.2
    assert (header.architecture, header.n_ctx_train, header.n_tensors) == ("llama", 8192, 272)
    assert header.expected_bytes == header.file_bytes == path.stat().st_size


def refused(data: bytes) -> str:
    with pytest.raises(ModelError) as error:
        parse_header(data, "m.gguf")
    message = str(error.value)
    assert message.startswith("m.gguf: ")
    assert "\n" not in message
    return message


def test_a_git_lfs_pointer_is_named() -> None:
    # abetlen/llama-cpp-python issue 2104: the failed load was hidden under a second exception
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    assert "this is a Git LFS pointer, not the model" in refused(pointer)


@pytest.mark.parametrize("data", [b"PK\x03\x04rest", b"<!DOCTYPE html>", b"G", b"\xff\xfe\x00\x01"])
def test_other_files_are_not_gguf(data: bytes) -> None:
    assert "not a GGUF file" in refused(data)


def test_a_big_endian_file_is_named() -> None:
    assert "big-endian" in refused(gguf_bytes(byte_order=">"))


@pytest.mark.parametrize("version", [0, 1, 4, 0x01020304])
def test_other_versions_are_named(version: int) -> None:
    assert f"GGUF version {version} is not supported" in refused(gguf_bytes(version=version))


def test_every_cut_of_the_header_is_noticed() -> None:
    header_bytes = len(WHOLE) - 128
    for end in range(4, header_bytes - 31):
        refused(WHOLE[:end])


def test_counts_beyond_the_file_are_refused_at_once() -> None:
    for n_tensors, n_keys in [(2**63, 0), (0, 2**63), (2**40, 1), (1, 2**16)]:
        started = time.perf_counter()
        message = refused(b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_keys) + b"\0" * 64)
        assert "damaged" in message
        assert time.perf_counter() - started < 0.1


def key_with(value: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + value


@pytest.mark.parametrize(
    "value",
    [
        struct.pack("<IQ", 8, 2**62),  # a text
        struct.pack("<IIQ", 9, 4, 2**62),  # a list of numbers
        struct.pack("<IIQ", 9, 8, 2**62),  # a list of texts
        struct.pack("<IIQQ", 9, 8, 1, 2**64 - 1),  # a list of one text that never ends
        struct.pack("<IIQ", 9, 9, 1),  # a list of lists
        struct.pack("<II", 99, 0),  # a type that does not exist
    ],
)
def test_absurd_values_are_refused(value: bytes) -> None:
    assert "damaged" in refused(key_with(value + b"\0" * 64))


def test_a_long_list_of_empty_texts_is_refused_before_it_is_walked() -> None:
    data = key_with(struct.pack("<IIQ", 9, 8, 5_000_000)) + b"\0" * 48_000_000
    started = time.perf_counter()
    assert "damaged" in refused(data)
    assert time.perf_counter() - started < 0.2


@pytest.mark.parametrize("alignment", [3, -32])
def test_an_alignment_that_is_none_is_refused(alignment: int) -> None:
    assert "alignment" in refused(gguf_bytes(model_metadata(general__alignment=alignment)))


def reads_or_refuses(data: bytes) -> bool:
    """Whether a header gives numbers that make sense, or one sentence."""
    try:
        header = parse_header(data, "m.gguf")
    except ModelError as refusal:
        return str(refusal).startswith("m.gguf: ") and "\n" not in str(refusal)
    return header.n_tensors >= 0 and header.expected_bytes >= 0 and header.file_bytes == len(data)


@settings(max_examples=300, deadline=2000)
@given(data=st.data())
def test_a_damaged_header_is_read_or_refused(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(4, len(WHOLE) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)))
    assert reads_or_refuses(bytes(damaged[:end]))


@settings(max_examples=200, deadline=2000)
@given(rest=st.binary(max_size=400))
def test_rubbish_after_the_magic_is_read_or_refused(rest: bytes) -> None:
    assert reads_or_refuses(b"GGUF" + struct.pack("<I", 3) + rest)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").touch()
    with pytest.raises(ModelError, match="the file is empty"):
        inspect_gguf(tmp_path / "m.gguf")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"this is a directory; give the \.gguf file inside it"):
        inspect_gguf(tmp_path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"gone\.gguf: no such file"):
        inspect_gguf(tmp_path / "gone.gguf")
    with pytest.raises(ModelError, match="no such file"):
        inspect_gguf(write_gguf(tmp_path / "m.gguf") / "inside.gguf")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    path.chmod(0)
    if os.access(path, os.R_OK):  # root reads everything: let the call fail as it does for others

        def denied(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(ModelError, match="no permission to read it"):
        inspect_gguf(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.gguf")
    with pytest.raises(ModelError, match="not a regular file"):
        inspect_gguf(tmp_path / "m.gguf")
