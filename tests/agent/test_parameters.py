"""The parameters of tools and steps: all can be set, each reaches what it is a parameter of, wrong ones are refused."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from clew.agent.parameters import GROUPS, chosen, of_tools, parameters, seeds
from clew.agent.services import services_for
from clew.agent.settings import read_settings
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.knowledge.library import Library
from clew.tools.walk import WalkParameters


def leaves(made_: Any) -> list[tuple[str, object]]:
    """Name and value of the fields of a dataclass and of those within it."""
    found: list[tuple[str, object]] = []
    for one in fields(made_):
        value = getattr(made_, one.name)
        found += leaves(value) if is_dataclass(value) else [(one.name.rstrip("_"), value)]
    return found


@pytest.mark.parametrize("group", GROUPS)
def test_no_name_of_a_group_stands_for_two_fields(group: str) -> None:
    names = [name for kind in GROUPS[group] for name, _ in leaves(kind())]
    assert len(names) == len(set(names))


def test_every_default_may_be_and_every_seed_has_a_name() -> None:
    for name, one in parameters().items():
        assert one.value_of(one.default) == one.default, name
    for name, (_, value) in seeds().items():
        assert parameters()[name].value_of(value) is not None


def another(value: object, name: str) -> object:
    """Some other value that it may be."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return {"units": "triples", "together": "seed", "none": "wordnet"}.get(value, value)
    if value is None:
        return 5
    assert isinstance(value, int | float)
    return value + 1 if isinstance(value, int) else value / 2 + 0.01


@pytest.mark.parametrize("name", [name for name in parameters() if not name.startswith("index.")])
def test_each_comes_to_where_it_is_used(
    name: str, examples: Library, encoder: CachedEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = another(parameters()[name].default, name)
    monkeypatch.chdir(tmp_path)
    settings = read_settings(library=examples.path, llm="none", given=[f"{name}={value}"])
    group, _, own = name.rpartition(".")
    with Threads(None) as threads:
        services = services_for(settings, examples, encoder, threads)
    steps = (services.recall, services.rewrite, services.observe, services.answer)
    tools = tuple(getattr(tool, "_parameters", None) for tool in services.tools.values())
    holders = [*tools, *steps, *of_tools(settings.given)]
    kinds = GROUPS[group]
    if group == "late":
        return
    found = [one for one in holders if isinstance(one, (*kinds, *((WalkParameters,) if group == "walk" else ())))]
    assert found
    for one in found:
        assert own not in dict(leaves(one)) or value in dict(leaves(one)).values()


def test_every_number_has_bounds() -> None:
    """A `clew.toml` of somebody else may give the first and the last."""
    numbers = [one for one in parameters().values() if "number" in one.allowed]
    assert len(numbers) > 100 and all(" from " in one.allowed and " to " in one.allowed for one in numbers)


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(BadInput, match="overlap of 100"):
        chosen({"index.semantic.overlap": 100, "index.semantic.size": 50})
    with pytest.raises(BadInput, match="cannot all be 0"):
        chosen({"tools.hybrid.cosine": 0, "tools.hybrid.keyword": 0, "tools.hybrid.title": 0})


OTHERS = frozenset(
    "tools.clues.method tools.clues.clues_once index.semantic.step tools.local.tau_e tools.hybrid.nearest walk.above "
    "tools.hybrid.cosine tools.hybrid.keyword tools.hybrid.title tools.hybrid.fields walk.answers observe.answers "
    "answer.tokens".split()
)
"""Those whose default is another than the seed's, as docs/figures.md says."""


def test_defaults_are_the_seeds_but_for_those_that_are_named() -> None:
    """lambda .7, 5 sentences, 3 of a cluster, 2 to 7 clusters, theta .5, buffer 5, 1024 and 128 tokens, K 5, ..."""
    said = {name: value for name, (_, value) in seeds().items()}
    assert {name for name, value in said.items() if parameters()[name].default != value} == OTHERS
    assert (said["rewrite.lambda"], said["rewrite.sentences"], said["index.semantic.threshold"]) == (0.7, 5, 0.5)
    assert (said["walk.top"], said["tools.communities.top_k_communities"], said["tools.clues.w_rel"]) == (5, 3, 2.0)
    assert len(said) == 48
