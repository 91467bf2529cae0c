"""The tools of an agent over the small library, as LangChain calls them and as a model plans them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

from clew.agent.assistant import Assistant
from clew.agent.search.rounds import PassagePool, proven
from clew.agent.search.tool_calls import calls_in, check, schema
from clew.agent.search.toolbox import OWN, Toolbox, langchain_tools, offered
from clew.agent.services import Services
from clew.agent.state import Turn
from clew.memory.datatypes import Findings, Passage
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.ports import Abilities
from clew.tools.calculate import CALCULATE
from tests.agent.conftest import over


@pytest.fixture
def services(assistant: Assistant) -> Services:
    return assistant.services


def found(services: Services, name: str, **given: str) -> list[tuple[str, str]]:
    return [(one.document, one.text) for one in Toolbox(services).call(name, given).passages]


def test_the_methods_are_named_to_a_large_model_alone(services: Services) -> None:
    small, large = (offered(services, Abilities(parameters=count), "Who?") for count in (3_000_000_000, 8_000_000_000))
    own = [spec.name for spec in OWN if spec.name != "table"]
    assert [spec.name for spec in small] == own
    assert [spec.name for spec in large] == [*own, *services.tools]
    assert sum(len(spec.shown.split()) for spec in small) < 60


@pytest.mark.parametrize(
    ("given", "documents"),
    [
        ({"within": "people"}, {"people"}),
        ({"within": "films/metropolis.md"}, {"films"}),
        ({"within": "Fritz Lang"}, {"people"}),
        ({}, {"films", "people"}),
    ],
)
def test_a_search_is_made_within_what_is_named(services: Services, given: dict[str, str], documents: set[str]) -> None:
    passages = found(services, "search", query="Who directed Metropolis?", **given)
    assert passages and documents <= {document.partition("/")[0] for document, _ in passages}
    assert not given or documents == {document.partition("/")[0] for document, _ in passages}


def test_a_limit_that_leaves_nothing_is_none_and_is_said(services: Services) -> None:
    limited = Toolbox(services).call("search", {"query": "Metropolis", "within": "xyzzy", "from_date": "2999"})
    assert limited.passages and limited.notes[:2] == (
        "no document is called 'xyzzy': looked in the others too",
        "no document is since '2999': looked in the others too",
    )


def test_a_document_is_read_in_its_order_and_by_parts(services: Services) -> None:
    toolbox = Toolbox(services, most=1)
    title, pages = "The Moon", [toolbox.call("read_document", {"title": "The Moon", "page": n}) for n in "12"]
    starts = [one.start for page in pages for one in page.passages]
    assert len({one.document for page in pages for one in page.passages}) == 1 and starts == sorted(set(starts))
    with pytest.raises(BadInput, match=f"'{title}' has no page 99"):
        toolbox.call("read_document", {"title": title, "page": "99"})
    with pytest.raises(BadInput, match="there is no document 'xyzzy'"):
        toolbox.call("read_document", {"title": "xyzzy"})


def test_documents_are_listed(services: Services) -> None:
    (everything,), (people,) = found(services, "list_documents"), found(services, "list_documents", about="people")
    assert everything[0] == "" and "- Fritz Lang (people/fritz-lang.md" in people[1] and "films/" not in people[1]
    assert len(people[1].splitlines()) < len(everything[1].splitlines())
    ((_, unnamed),) = found(services, "list_documents", about="who was launched first")
    assert len(unnamed.splitlines()) == len(everything[1].splitlines()) and unnamed != everything[1]


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("1,200 EUR - 950 EUR", []),
        ("1,200 EUR * 12", []),
        ("2024-05-03 + 14 days", []),
        ("1,200 EUR - 977 EUR", ["calculate: 1,200 EUR - 977 EUR = 223 EUR: 977 stands in no document"]),
    ],
)
def test_a_sum_of_numbers_that_no_document_has_is_left_out(services: Services, expression: str, why: list[str]) -> None:
    evidence = Passage("a", "a", "Lease", "The rent was 950 EUR and is 1.200 EUR since 3 May 2024.", 1.0, "hybrid")
    sums = Toolbox(services).call(CALCULATE, {"expression": expression}).passages
    pool, said = proven(PassagePool((evidence, *sums), 2, (), ()), Turn("t", 1, "And 14 days later?"))
    assert said == why and len(pool.passages) == pool.new == 2 - len(why)


INVOICES = "Vendor,Paid,Amount\nBruma,no,120\nTelko,yes,80\nBruma,no,40\n"


@pytest.fixture
def with_tables(cache: Path, tmp_path: Path, encoder: CachedEncoder) -> Iterator[Services]:
    with over({"invoices.csv": INVOICES}, tmp_path, cache, encoder) as assistant:
        yield assistant.services


def test_a_large_model_is_told_of_the_tables_and_asks_one_under_its_schema(with_tables: Services) -> None:
    specs = offered(with_tables, Abilities(parameters=8_000_000_000), "How much is not paid?")
    table, plan = specs[-1], schema(specs)
    assert "invoices.csv" in table.shown and "(Vendor, Paid, Amount)" in table.shown
    (form,) = (
        one for one in plan["properties"]["calls"]["items"]["anyOf"] if one["properties"]["tool"]["enum"] == ["table"]
    )
    assert form["properties"]["where"]["items"]["$ref"] == "#/$defs/Condition" and "Condition" in plan["$defs"]
    written = """{"calls": [{"tool": "table", "table": "invoices.csv", "where": [{"column": "Paid", "value": "no"}],
        "aggregate": {"function": "sum", "column": "Amount"}}]}"""
    names = [spec.name for spec in specs]
    ((call,), _) = check(calls_in(written, names), names, frozenset())
    (passage,) = Toolbox(with_tables).call(call.tool, call.given, call.wordings[0].text).passages
    assert "sum of Amount (2 values): 120 + 40 = 160" in passage.text and "2 of 3 rows" in passage.text
    with pytest.raises(BadInput, match=r"aggregate\.function"):
        Toolbox(with_tables).call("table", {"aggregate": '{"function": "guess"}'}, "invoices.csv")


class Scripted(GenericFakeChatModel):
    """Says what it is told to."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Scripted":
        return self


def test_a_langchain_agent_calls_them_and_is_told_of_wrong_arguments(services: Services) -> None:
    tools = langchain_tools(services, most=2)
    assert [tool.name for tool in tools] == [*(spec.name for spec in OWN), *services.tools]
    for tool in tools:
        properties = tool.tool_call_schema.model_json_schema()["properties"]  # type: ignore[union-attr]
        assert all(part.get("description") for part in properties.values()) and tool.description
    wanted = [
        ToolCall(name="graph", args={"within": "people"}, id="1"),
        ToolCall(name="graph", args={"query": "Who directed Metropolis?"}, id="2"),
        ToolCall(name="calculate", args={"expression": "one and two"}, id="3"),
        ToolCall(name="calculate", args={"expression": "1,200 EUR - 950 EUR"}, id="4"),
    ]
    said = [*(AIMessage("", tool_calls=[one]) for one in wanted), AIMessage("Fritz Lang.")]
    answer: Any = create_agent(Scripted(messages=iter(said)), tools).invoke({"messages": [HumanMessage("Who?")]})
    missing, graph, wrong, sum_ = (one for one in answer["messages"] if isinstance(one, ToolMessage))
    assert missing.status == "error" and "query" in missing.text
    assert isinstance(graph.artifact, Findings) and len(graph.artifact.passages) == 2
    assert graph.text.startswith(f"[1] {graph.artifact.passages[0].title}: ")
    assert wrong.status == "error" and wrong.text.startswith("'one and two' cannot be worked out: only + - ")
    assert sum_.text == "[1] Worked out: 1,200 EUR - 950 EUR = 250 EUR"
