"""What the README says of the project holds: its tree, its exit codes, its formats."""

import re
from pathlib import Path

from judgecli import errors
from judgecli.answers import format_names
from judgecli.prompts import family_names, load_family

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_tree_names_every_file_of_the_package() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = guide.split("## Where things are")[1].split("```")[1]
    folder, listed = "", set()
    for line in tree.splitlines():
        name = line.split()[0] if line.strip() else ""
        if name.endswith("/"):
            folder = name
        elif name:
            listed.add(folder + name)
    files = {str(path.relative_to(ROOT).as_posix()) for path in (ROOT / "judgecli").rglob("*.py")}
    assert {name for name in listed if name.endswith(".py")} == files


def test_exit_codes_are_those_of_the_errors() -> None:
    listed = set(
        map(
            int, re.findall(r"^\| (\d+) \|", README.split("## Exit codes")[1].split("\n## ")[0], re.MULTILINE)
        )
    )
    raised = {
        cls.exit_code
        for cls in vars(errors).values()
        if isinstance(cls, type) and cls is not errors.JudgeError
    }
    assert raised <= listed


def test_formats_are_all_listed() -> None:
    section = README.split("## Files it reads")[1].split("\n## ")[0]
    assert set(format_names()) <= set(re.findall(r"`([\w-]+)`", section))


def test_family_file_in_the_readme_loads(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(name = \"mine\".*?)```", README, re.DOTALL)
    assert example
    path = tmp_path / "mine.toml"
    path.write_text(example[1], encoding="utf-8")
    family = load_family(str(path))
    assert family.name == "mine"
    assert set(family.task(2).grammar.readings) == {"1", "2", "0"}


def test_samples_were_made_with_the_present_prompt() -> None:
    hashes = set(re.findall(r"^prompt +chat, hash (\w+)", README, re.MULTILINE))
    assert hashes == {load_family("chat").hash[:12]}


def test_files_that_commands_name_are_there() -> None:
    named = set(re.findall(r"examples/[\w./-]*[\w-]\.\w+", README))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_families_are_all_listed() -> None:
    section = README.split("## Judges")[1].split("\n## ")[0]
    listed = set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE))
    assert listed == set(family_names())
