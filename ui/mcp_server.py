"""The tools and the documents of a library for other programs, by the Model Context Protocol: over standard input and
output, or over HTTP for who has the token."""

import hmac
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import quote, unquote

import anyio
import uvicorn
from anyio import to_thread
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.agent.assistant import Assistant
from clew.agent.search.toolbox import Toolbox, all_tools, numbered
from clew.memory.errors import BadInput
from clew.ui.console import messages

TOKEN = "CLEW_MCP_TOKEN"  # noqa: S105 the name of a variable
PLACE = "clew:///"
"""What the address of a document begins with; its id follows."""

TEXT = "text/plain"

PAGE = 100
"""Documents of one answer to a client that lists them."""

INSTRUCTIONS = "Search the user's own documents, and cite what is found by its title."
READS = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)


def mcp_server(assistant: Assistant) -> "Server[Any]":
    """What it answers is of the library as it is at that moment."""

    def answering(answer: Callable[[Assistant, Any], Any]) -> Callable[[object, Any], Any]:
        async def handler(_: object, params: Any) -> Any:
            return await to_thread.run_sync(partial(answer, assistant, params))

        return handler

    return Server(
        "clew",
        instructions=INSTRUCTIONS,
        on_list_tools=answering(_tools),
        on_call_tool=answering(_called),
        on_list_resources=answering(_documents),
        on_read_resource=answering(_document),
    )


def _tools(assistant: Assistant, _: object) -> types.ListToolsResult:
    tools = [
        types.Tool(
            name=spec.name,
            description=spec.description,
            input_schema=spec.arguments.model_json_schema(),
            annotations=READS,
        )
        for spec in all_tools(assistant.services).values()
    ]
    return types.ListToolsResult(tools=tools)


def _called(assistant: Assistant, params: types.CallToolRequestParams) -> types.CallToolResult:
    """What cannot be done is said to the model in a line."""
    given, failed = params.arguments or {}, True
    with assistant.library_now() as services:
        try:
            text, failed = numbered(Toolbox(services).call(params.name, given)), False
        except BadInput as error:
            text = str(error)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)


def _documents(assistant: Assistant, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    cursor = (params and params.cursor) or ""
    first = int(cursor) if cursor.isdecimal() else 0
    with assistant.library_now() as services:
        catalogue = services.library.store.catalogue
    listed = [
        types.Resource(uri=PLACE + quote(one.id, safe=""), name=one.id, title=catalogue.shown[one.id], mime_type=TEXT)
        for one in catalogue.documents[first : first + PAGE]
    ]
    more = str(first + PAGE) if first + PAGE < len(catalogue.documents) else None
    return types.ListResourcesResult(resources=listed, next_cursor=more)


def _document(assistant: Assistant, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    with assistant.library_now() as services:
        try:
            (found,) = services.library.store.documents([unquote(str(params.uri).removeprefix(PLACE))])
        except KeyError:
            raise MCPError(types.INVALID_PARAMS, f"there is no document {params.uri}") from None
    content = types.TextResourceContents(uri=params.uri, text=found.text, mime_type=TEXT)
    return types.ReadResourceResult(contents=[content])


def serve_stdio(assistant: Assistant) -> None:
    """Until the client closes standard input."""
    server = mcp_server(assistant)

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(assistant: Assistant, host: str, port: int) -> None:
    """Until Ctrl-C. The token is the variable's, or a new one, which is printed."""
    from clew.ui.web.serving import bound

    token = os.environ.get(TOKEN) or secrets.token_urlsafe(32)
    app = only_with_token(mcp_server(assistant).streamable_http_app(host=host), token)
    listening = bound(port, host, "clew mcp --http")
    listening.listen()  # who reads the address can connect at once
    shown = f"the token of {TOKEN}" if os.environ.get(TOKEN) else token
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"
    said = f"MCP is at {address}, with the header Authorization: Bearer {shown} (Ctrl-C ends it)"
    messages().print(said, soft_wrap=True)
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=2)
    with listening, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run([listening])


def only_with_token(app: ASGIApp, token: str) -> ASGIApp:
    """The application for requests that bring the token."""
    wanted = f"Bearer {token}".encode()
    refusal = PlainTextResponse("The token is missing or wrong.", 401, {"www-authenticate": "Bearer"})

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        let_in = scope["type"] == "lifespan" or hmac.compare_digest(given, wanted)
        await (app if let_in else refusal)(scope, receive, send)

    return guarded
