"""The tools in a LangChain agent of today: it is given them, calls them, and reads what they find."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from pydantic import Field

from clew.memory.datatypes import Findings
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.tools import registry
from clew.tools.base import as_langchain_tool

QUESTION = "Who directed Metropolis?"


class Scripted(GenericFakeChatModel):
    """Says what it is told to, and keeps which tools it was given."""

    given: list[str] = Field(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "Scripted":
        self.given.extend(tool.name for tool in tools)
        return self


def asked(model: Scripted, tools: Sequence[BaseTool]) -> list[BaseMessage]:
    answer: Any = create_agent(model, tools).invoke({"messages": [HumanMessage(QUESTION)]})
    return list(answer["messages"])


@pytest.mark.parametrize("name", registry.NAMES)
def test_an_agent_calls_each_tool_and_has_its_passages(name: str, examples: Library, encoder: CachedEncoder) -> None:
    tools = [as_langchain_tool(registry.make(one, examples.store), encoder) for one in registry.NAMES]
    call = ToolCall(name=name, args={"query": QUESTION, "k": 3}, id="1")
    said = iter([AIMessage("", tool_calls=[call]), AIMessage("Fritz Lang.")])
    model = Scripted(messages=said)
    messages = asked(model, tools)
    assert set(model.given) == set(registry.NAMES)
    (found,) = [message for message in messages if isinstance(message, ToolMessage)]
    assert found.status == "success" and isinstance(found.artifact, Findings)
    assert 1 <= len(found.artifact.passages) <= 3
    assert found.text.startswith(f"[1] {found.artifact.passages[0].title}: ")
    assert messages[-1].text == "Fritz Lang."


def test_wrong_arguments_are_told_to_the_model(examples: Library, encoder: CachedEncoder) -> None:
    tool = as_langchain_tool(registry.make("hybrid", examples.store), encoder)
    call = ToolCall(name="hybrid", args={"k": 3}, id="1")
    said = iter([AIMessage("", tool_calls=[call]), AIMessage("I could not search.")])
    messages = asked(Scripted(messages=said), [tool])
    (found,) = [message for message in messages if isinstance(message, ToolMessage)]
    assert found.status == "error" and "query" in found.text
