"""`clew mcp` as the official client sees it, over real pipes and a real socket."""

import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import anyio
import pytest

from tests.processes import ROOT
from tests.ui.browsing import free_port

pytest.importorskip("mcp")
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

CLEW = ["-m", "clew.ui.cli", "mcp"]


@pytest.fixture
def over_stdio(examples_path: Path, home: Path) -> Client:
    command = StdioServerParameters(
        command=sys.executable, args=[*CLEW, "--library", str(examples_path)], env=dict(os.environ), cwd=ROOT
    )
    return Client(stdio_client(command))


@pytest.fixture
def served(examples_path: Path, home: Path) -> Iterator[tuple[str, str]]:
    """Its address and its token, as it prints them."""
    command = [sys.executable, *CLEW, "--library", str(examples_path), "--http", "--port", str(free_port())]
    with Popen(command, stderr=PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr
        said = re.fullmatch(r"MCP is at (\S+), .* Bearer (\S+) \(Ctrl-C ends it\)\n", process.stderr.readline())
        assert said
        yield said[1], said[2]
        process.terminate()


@asynccontextmanager
async def over_http(address: str, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


async def use(client: Client) -> None:
    """Everything that is offered, as a program would use it."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {"search", "read_document", "list_documents", "calculate", "table", "hybrid", "walk"} <= tools.keys()
    assert tools["search"].input_schema["required"] == ["query"] and tools["search"].description

    async def said(name: str, failed: bool = False, **given: Any) -> str:
        result = await client.call_tool(name, given)
        assert bool(result.is_error) == failed
        return str(result.content[0].text)  # type: ignore[union-attr]

    assert re.match(r"\[1\] Metropolis.*Fritz Lang", await said("search", query="Who directed Metropolis?"), re.DOTALL)
    assert "1 document about" in await said("list_documents", about="metropolis.md")
    assert "250 EUR" in await said("calculate", expression="1,200 EUR - 950 EUR")
    assert "there is no document 'Nosferatu'" in await said("read_document", failed=True, title="Nosferatu")
    assert "there is no tool 'delete'" in await said("delete", failed=True, query="all")
    assert await said("search", failed=True, words="moon") == "query: Field required"
    listed = (await client.list_resources()).resources
    film = next(one for one in listed if one.name == "films/metropolis.md")
    assert len(listed) == 35 and film.title == "Metropolis"
    (content,) = (await client.read_resource(film.uri)).contents
    assert "Fritz Lang" in content.text  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="there is no document"):
        await client.read_resource("clew:///films%2Fnosferatu.md")


def test_tools_and_documents_over_standard_input_and_output(over_stdio: Client) -> None:
    async def run() -> None:
        async with over_stdio as client:
            await use(client)

    anyio.run(run)


def test_tools_and_documents_over_http_for_who_has_the_token(served: tuple[str, str]) -> None:
    address, token = served

    async def run() -> None:
        async with over_http(address, token) as client:
            await use(client)
        for wrong in ({}, {"Authorization": f"Bearer {token[:-1]}"}, {"Authorization": token}):
            async with httpx2.AsyncClient(headers=wrong) as stranger:
                answer = await stranger.post(address, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
                assert answer.status_code == 401 and "token" in answer.text and "tools" not in answer.text

    anyio.run(run)
