"""The architecture, held by walking the source: layers, late imports, sizes, names, encodings."""

import ast
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import pytest

import judgecli

PACKAGE = Path(judgecli.__file__).parent
ROOT = PACKAGE.parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))
FILES = sorted([*MODULES, *(ROOT / "tests").rglob("*.py")])

# Lower layers first; a layer imports those before it, and nothing beside it.
LAYERS = (
    {"errors", "types"},
    {"answers", "prompts", "registry", "backends", "verdicts", "ledger", "cache", "analysis", "reports"},
    {"run", "diagnosis"},
    {"api", "cli"},
)
ALTERNATIVES = ("answers/formats", "backends", "reports")
SHARED = {"__init__", "__pycache__", "wording", "pairs"}  # of a folder of alternatives, what all of them use
FORBIDDEN_NAMES = {"utils", "helpers", "common", "base", "manager"}
MAX_FILE_LINES = 300
MAX_BODY_LINES = 50


@dataclass(frozen=True)
class Import:
    """An import statement: the module's full name, where it stands, and whether it is run on import."""

    name: str
    file: Path
    line: int
    is_late: bool

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {self.name}"


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def nodes(tree: ast.AST, *, is_late: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node and whether it runs only when a function is called (or a type is checked)."""
    for node in ast.iter_child_nodes(tree):
        yield node, is_late
        inner = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            inner = True
        yield from nodes(node, is_late=inner)


def imports(path: Path) -> Iterator[Import]:
    for node, is_late in nodes(parse(path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (Import(name, path, node.lineno, is_late) for name in names)


ALL_IMPORTS = [one for path in MODULES for one in imports(path)]


def part(path: Path) -> str:
    """Return the layer's member that a file belongs to; the package's own two files only pass on."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return {"__init__": "api", "__main__": "cli"}.get(first, first)


def imported_part(name: str) -> str | None:
    package, _, rest = name.partition(".")
    if package != "judgecli":
        return None
    first = rest.split(".")[0]
    is_member = first and ((PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").is_file())
    return first if is_member else "__init__"


def layer(member: str) -> int:
    return next(level for level, members in enumerate(LAYERS) if member in members)


def test_every_module_belongs_to_a_layer() -> None:
    known = set().union(*LAYERS)
    assert {part(path) for path in MODULES} <= known


def test_arrows_point_down_only() -> None:
    wrong = []
    for one in ALL_IMPORTS:
        here, there = part(one.file), imported_part(one.name)
        if there in {None, here, "__init__"}:
            continue
        assert there is not None
        same_bottom = layer(here) == layer(there) == 0
        if layer(there) >= layer(here) and not same_bottom:
            wrong.append(str(one))
    assert wrong == []


def test_only_run_and_the_top_import_the_package_itself() -> None:
    users = {part(one.file) for one in ALL_IMPORTS if imported_part(one.name) == "__init__"}
    assert users <= {"run", "api", "cli"}


@pytest.mark.parametrize("folder", ALTERNATIVES)
def test_alternatives_do_not_import_each_other(folder: str) -> None:
    place = PACKAGE / folder
    own = f"judgecli.{folder.replace('/', '.')}"
    names = {path.stem for path in place.iterdir() if path.stem not in SHARED}
    wrong = []
    for one in ALL_IMPORTS:
        if not one.file.is_relative_to(place) or (one.file.parent == place and one.file.stem == "__init__"):
            continue
        here = one.file.relative_to(place).parts[0].removesuffix(".py")
        there = one.name.removeprefix(f"{own}.").split(".")[0] if one.name.startswith(f"{own}.") else None
        if there in names - {here}:
            wrong.append(str(one))
    assert wrong == []


@pytest.mark.parametrize(
    ("library", "places"),
    [
        ("llama_cpp", {"backends/llama_cpp"}),
        ("typer", {"cli"}),
        ("rich", {"cli", "reports/terminal.py"}),
        ("click", set()),
        ("numpy", {"analysis", "backends"}),
        ("scipy", {"analysis"}),
        ("huggingface_hub", {"registry"}),
        ("jinja2", {"prompts", "reports/html"}),
        ("markupsafe", {"reports/html"}),
        ("jsonlines", {"answers", "ledger"}),
    ],
)
def test_libraries_stay_where_they_belong(library: str, places: set[str]) -> None:
    allowed = [PACKAGE / place for place in places]
    users = [one for one in ALL_IMPORTS if one.name.split(".")[0] == library]
    assert [str(one) for one in users if not any(one.file.is_relative_to(place) for place in allowed)] == []


def test_llama_cpp_is_never_imported_with_a_module() -> None:
    early = [one for one in ALL_IMPORTS if one.name.split(".")[0] == "llama_cpp" and not one.is_late]
    assert [str(one) for one in early] == []


def test_only_the_command_line_prints_or_exits() -> None:
    wrong = []
    for path in MODULES:
        if part(path) == "cli":
            continue
        for node, _ in nodes(parse(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "exit", "quit", "sys.exit"}:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_files_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {str(path): n for path, n in lengths.items() if n > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    lengths = {}
    for path in MODULES:
        for node, _ in nodes(parse(path)):
            if isinstance(node, ast.FunctionDef):
                first = node.body[0].lineno  # a command has as many options as it has
                lengths[f"{path.relative_to(ROOT)}:{node.lineno}"] = (node.end_lineno or first) - first + 1
    assert {place: n for place, n in lengths.items() if n > MAX_BODY_LINES} == {}
    assert median(lengths.values()) <= 10
    assert quantiles(lengths.values(), n=10)[-1] <= 30


def test_names_say_what_is_in_them() -> None:
    named = {name for path in FILES for name in (path.stem, path.parent.name)}
    assert named & FORBIDDEN_NAMES == set()


def test_every_text_file_is_opened_with_an_encoding() -> None:
    wrong = []
    for path in FILES:
        for node, _ in nodes(parse(path)):
            if isinstance(node, ast.Call) and opens_text(node):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)[:60]}")
    assert wrong == []


def opens_text(call: ast.Call) -> bool:
    """Whether a call opens a file as text without naming its encoding."""
    function = ast.unparse(call.func)
    name = function.rpartition(".")[2]
    methods = {"read_text", "write_text", "NamedTemporaryFile"} if "." in function else set()
    if name not in {"open", *methods} or function == "os.open":
        return False
    if any(keyword.arg == "encoding" for keyword in call.keywords):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    texts = [arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    is_binary = name == "open" and any("b" in mode for mode in texts if set(mode) <= set("rwaxbt+"))
    return not is_binary and "utf-8" not in texts


def test_help_is_fast_and_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['judge', 'pair', '--help']\n"
        "from judgecli.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'llama_cpp', 'numpy', 'scipy', 'huggingface_hub', 'jinja2', 'rich.progress'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    started_s = time.monotonic()
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
    assert "Usage: judge pair" in result.stdout
    assert time.monotonic() - started_s < 5  # 0.3 s on a quiet machine
