"""What keeps the product one house: no circles, one name for one thing, small functions and contracts."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Template

import pytest

from clew.prompts import render
from tests.test_architecture import CODE, LAYERS, ROOT, relative

LINES_OF_A_FUNCTION, METHODS_OF_A_CONTRACT = 60, 12

NO_TURN = re.compile(r"evaluat|replay|doctor|train|crossval|dataset|metrics|benchmark|lessons|losses")
"""Modules of what measures, replays, checks or fits; a turn needs none of them."""

TURN = ("agent.graph", "agent.assistant")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module(path): path for path in CODE}


@cache
def imported(name: str) -> frozenset[str]:
    """The modules of the product that a module imports anywhere in it, in functions too."""
    found = set()
    for node in ast.walk(parsed(MODULES[name])):
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("clew.") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module.removeprefix("clew.")
            inside = {f"{whole}.{alias.name}" for alias in node.names} & MODULES.keys()
            found |= inside or {whole}
    return frozenset(found & MODULES.keys() - {name})


def reachable(*starts: str) -> dict[str, str]:
    """The modules that are imported from these, at whatever distance, each with the one that brought it."""
    brought = dict.fromkeys(starts, "")
    waiting = list(starts)
    while waiting:
        one = waiting.pop()
        for other in imported(one) - brought.keys():
            brought[other] = one
            waiting.append(other)
    return brought


def twice(named: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    where = defaultdict(list)
    for name, place in named:
        where[name].append(place)
    return {name: places for name, places in where.items() if len(places) > 1}


def test_no_circles() -> None:
    circles = {name for name in MODULES if any(name in reachable(one) for one in imported(name))}
    assert not circles


def public_types() -> Iterator[tuple[str, str]]:
    """Classes and type aliases at the top of a module (`Vector = NDArray[...]`), with the module."""
    for name, path in MODULES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                found = node.name
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found = node.targets[0].id
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found = node.target.id
            else:
                continue
            if re.match(r"[A-Z]+[a-z]", found) or (isinstance(node, ast.ClassDef) and not found.startswith("_")):
                yield found, name


def test_a_public_name_stands_for_one_thing() -> None:
    assert twice(public_types()) == {}


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
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LINES_OF_A_FUNCTION
    }
    assert not long


def is_method(node: ast.stmt) -> bool:
    """Attributes, which a protocol declares as properties, are none."""
    return isinstance(node, ast.FunctionDef) and "property" not in map(ast.unparse, node.decorator_list)


def test_contracts_are_narrow() -> None:
    wide = {
        f"{relative(path)}:{node.name}": methods
        for path in CODE
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef)
        and any("Protocol" in ast.unparse(base) for base in node.bases)
        and (methods := sum(is_method(one) for one in node.body)) > METHODS_OF_A_CONTRACT
    }
    assert not wide


def test_a_turn_imports_only_what_is_a_turn() -> None:
    brought = reachable(*TURN)
    assert not {name: f"imported by {by}" for name, by in brought.items() if NO_TURN.search(name)}


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
