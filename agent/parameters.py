"""The parameters of tools and steps by their names in settings: all that exist, and those that were set."""

import json
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from clew.agent.answer.selection import AnswerParameters
from clew.agent.search.rounds import ObserveParameters
from clew.memory.dialogue.recall import RecallParameters
from clew.memory.dialogue.rewriting import RewriteParameters
from clew.memory.errors import BadInput, LibraryMismatch
from clew.memory.knowledge.chunking import ChunkerParameters, SemanticParameters
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.layers import DetectionParameters
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.walking.walker import LateParameters, WalkerParameters
from clew.memory.parameters import Parameter, parameters_of, values_of, with_values
from clew.tools import registry
from clew.tools.walk import Walk

INDEX = "index."
"""Begins the names of parameters that a library is made with."""

GROUPS: Mapping[str, tuple[type[Any], ...]] = {
    **{f"tools.{name}": (kind,) for name, kind in registry.PARAMETERS.items()},
    "rewrite": (RecallParameters, RewriteParameters),
    "walk": (WalkerParameters,),
    "late": (LateParameters,),
    "observe": (ObserveParameters,),
    "answer": (AnswerParameters,),
    f"{INDEX}sentences": (ChunkerParameters,),
    f"{INDEX}semantic": (SemanticParameters,),
    f"{INDEX}keywords": (KeywordParameters,),
    f"{INDEX}communities": (DetectionParameters,),
}
"""The groups of parameters. The walker has its own group, as a turn also walks without the tool `walk`."""

ELSEWHERE = {f"tools.{Walk.name}": values_of(WalkerParameters()), f"{INDEX}communities": {"method": ""}}
"""Fields of a group's dataclasses that are set elsewhere: the walker's, and by `clew index --communities`."""

SEEDS = Path(__file__).with_name("seeds.json")
"""For each group a seed's number and its values; docs/figures.md measures them where the default differs."""

SENTENCES = Path(__file__).with_name("parameters.txt")

Given = Mapping[str, object]
"""What the user wrote, by full names: `Settings.given`."""

_Made = TypeVar("_Made")


@cache
def parameters() -> dict[str, Parameter]:
    """All parameters by their full names."""
    return {
        f"{group}.{one.name}": one
        for group, kinds in GROUPS.items()
        for kind in kinds
        for one in parameters_of(kind())
        if one.name not in ELSEWHERE.get(group, {})
    }


@cache
def sentences() -> dict[str, tuple[str, bool]]:
    """For each setting and parameter a description, and whether most people may change it."""
    lines = [line for line in SENTENCES.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    told = (one.partition(":") for one in lines)
    said = {name.strip("* "): (text.strip(), name.startswith("*")) for name, _, text in told}
    of_hybrid = {name: said.get(f"tools.hybrid.{name.rpartition('.')[2]}", ("", False)) for name in parameters()}
    return {name: (text, False) for name, (text, _) in of_hybrid.items()} | said


@cache
def seeds() -> dict[str, tuple[str, Any]]:
    """For each parameter that a seed has a value for, the seed's number and the value."""
    groups = json.loads(SEEDS.read_text("utf-8"))
    return {
        f"{group}.{name}": (its["seed"], value)
        for group, its in groups.items()
        for name, value in its["values"].items()
    }


def chosen(given: Given) -> dict[str, Any]:
    """The values as their fields have them. Raises `BadInput` for an unknown name or an invalid value, saying what is
    allowed."""
    found = {}
    for name, value in given.items():
        if name not in parameters():
            near = get_close_matches(name, parameters(), 2)
            raise BadInput(f"there is no parameter '{name}'", " or ".join(near) or "clew settings --all")
        try:
            found[name] = parameters()[name].value_of(value)
        except BadInput as error:
            group = name.rpartition(".")[0]
            raise BadInput(f"{group}.{error.message}", f"{group}.{error.hint}") from None
    for group, kinds in GROUPS.items():  # what does not go together
        for kind in kinds:
            with_values(kind(), _of_group(found, group))
    return found


def made(kind: type[_Made], given: Given) -> _Made:
    """The dataclass of a tool or a step with the values that were set."""
    values = chosen(given)
    group = next(name for name, kinds in GROUPS.items() if kind in kinds)
    own = _of_group(values, group)
    if kind is registry.PARAMETERS[Walk.name]:
        own |= _of_group(values, "walk")
    return with_values(kind(), own)


def of_tools(given: Given) -> tuple[object, ...]:
    """Make the parameters of every tool from the settings that were given."""
    return tuple(made(kind, given) for kind in registry.PARAMETERS.values())


def of_index(given: Given) -> dict[str, dict[str, Any]]:
    """The changed values for `clew index`, by the names of `Manifest.made_with`."""
    values, names = chosen(given), [name.removeprefix(INDEX) for name in GROUPS if name.startswith(INDEX)]
    return {name: own for name in names if (own := _of_group(values, f"{INDEX}{name}"))}


def check_indexed(given: Given, library: Library) -> None:
    """Raises `LibraryMismatch` where the library was made with other values than are set, with the command that applies
    them."""
    made_with = library.manifest.made_with
    wrong = {
        f"{INDEX}{group}.{name}": value
        for group, own in of_index(given).items()
        for name, value in own.items()
        if group not in made_with or values_of(made_with[group])[name] != value
    }
    if not wrong:
        return
    other = next((name for name in ("sentences", "semantic") if any(f"{INDEX}{name}." in one for one in wrong)), "")
    command = ["clew", "index", *library.manifest.roots, "--library", str(library.path)]
    command += ["--rebuild", "--chunker", other] if other else []
    for name, value in wrong.items():
        command += ["--set", f"{name}={'none' if value is None else value}"]
    said = ", ".join(f"{name} = {value}" for name, value in wrong.items())
    raise LibraryMismatch(f"the library at {library.path} was not made with {said}", shlex.join(command))


def _of_group(values: Mapping[str, Any], group: str) -> dict[str, Any]:
    start = f"{group}."
    return {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}
