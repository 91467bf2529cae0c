"""The shape of the project: which way imports go, what the contracts are kept by, what a reader may rely on."""

import ast
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = ("prompts", "memory", "tools", "agent", "ui")
VENDORS = {"ollama", "openai", "elasticsearch"}
CODE = [path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("clew.") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}".removeprefix("clew.") for alias in node.names)


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", CODE, ids=relative)
def test_imports_go_one_way(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    above = LAYERS[LAYERS.index(layer) + 1 :]
    assert not [name for name in imports(path) if name.split(".")[0] in above]


@pytest.mark.parametrize("one, other", [("dialogue", "knowledge"), ("knowledge", "dialogue")])
def test_dialogue_and_knowledge_do_not_know_each_other(one: str, other: str) -> None:
    for path in (ROOT / "memory" / one).rglob("*.py"):
        assert not [name for name in imports(path) if name.startswith(f"memory.{other}")], path


def test_tools_do_not_know_each_other() -> None:
    shared = ("tools.base", "tools.registry")
    for path in (ROOT / "tools").glob("*.py"):
        if path.stem != "registry":
            others = [name for name in imports(path) if name.startswith("tools.") and not name.startswith(shared)]
            assert not others, path


def test_vendors_are_named_in_one_place() -> None:
    for path in CODE:
        named = VENDORS & {name.split(".")[0] for name in imports(path)}
        place = "memory/knowledge/cluster/" if named == {"elasticsearch"} else "agent/llm/"
        assert not named or relative(path).startswith(place), (path, named)


def test_langchain_stops_at_the_agent_and_the_tools_wrapper() -> None:
    allowed = ("agent/", "tools/base.py", "memory/knowledge/loaders/")
    for path in CODE:
        if any(name.startswith(("langchain", "langgraph")) for name in imports(path)):
            assert relative(path).startswith(allowed), path


def test_the_top_level_names_are_this_distributions_alone() -> None:
    owners = importlib.metadata.packages_distributions()
    assert owners["clew"] == ["clew"] and not [name for name in LAYERS if "clew" in owners.get(name, ())]


MAKES = {"mkdir", "unlink", "rmdir", "rename", "touch", "symlink_to", "hardlink_to", "rmtree", "copytree", "move"}
SAVES = {"save", "savez", "savez_compressed", "open_memmap", "write_text", "write_bytes", "save_file"}
KNOWLEDGE = [path for path in CODE if relative(path).startswith("memory/knowledge/")]
OF_LIBRARIES = [*(path for path in KNOWLEDGE if path.stem != "library"), ROOT / "memory/titles.py"]


def called(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


@pytest.mark.parametrize("path", OF_LIBRARIES, ids=relative)
def test_a_library_is_written_by_one_place(path: Path) -> None:
    """What makes, moves and removes files is `memory/files.py`; what is written was first made there."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    source = path.read_text("utf-8")
    made = {"held": "library.mkdir"} if path.name == "disk.py" else {}
    for call in calls:
        name = called(call)
        if name in MAKES:
            assert ast.unparse(call.func) in made.values(), f"{path}:{call.lineno}"
        elif name in SAVES and isinstance(call.func, ast.Attribute):
            where = ast.unparse(call.func.value) if name.startswith("write") else ast.unparse(call.args[0])
            fresh = (
                "new_file(" in where or f"{where} = new_file(" in source or (where == "folder" and "bm25s" in source)
            )
            assert fresh, f"{path}:{call.lineno}"
