"""The requests of the page beside Gradio's: the list of documents and its changes, uploaded files, a document opened at
a passage, settings, the map.

The guard has let the caller in; one who is not the person of this machine may only read. Errors are said in words, at
the place where they are read.
"""

import secrets
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from fastapi.responses import JSONResponse

from clew.memory.errors import BadInput, ClewError
from clew.ui.rendering import model_of
from clew.ui.slash import COMMANDS
from clew.ui.web.guard import FILES, OWNER
from clew.ui.web.library_map import map_of
from clew.ui.web.markup import Markup
from clew.ui.web.panel import PARTS, change, compared, other_library, panel, tested
from clew.ui.web.reader import WhereTo, opened_document, opened_source
from clew.ui.web.shelf import LARGEST, Shelf
from clew.ui.web.views import Conversations

TYPED = [command.name for command in COMMANDS if not command.on_page]
NOT_YOURS = "documents are added and removed by the person of the machine that serves this page"
NOT_YOUR_SETTINGS = "passages and language models are set by the person of the machine that serves this page"

Told = dict[str, Any]


def owner_of(request: Request) -> str:
    """Return the user whom the guard let in."""
    return str(request.scope[OWNER])


Owner = Annotated[str, Depends(owner_of)]
"""Who asks; empty: the person of this machine."""


def own(wrong: str) -> Any:
    """Return the dependency of a route that only the person of this machine may use."""

    def check(owner: Owner) -> None:
        if owner:
            raise BadInput(wrong)

    return Depends(check)


def application(shelf: Shelf, markup: Markup, conversations: Conversations) -> FastAPI:
    """Make the application with these routes."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(ClewError, lambda _, error: JSONResponse({"said": _on_a_page(error)}))
    _add_documents(app, shelf, markup, conversations)
    _add_conversations(app, markup, conversations)
    _add_settings(app, shelf, markup, conversations)
    return app


def _on_a_page(error: ClewError) -> str:
    """Return the error's message, without a hint that is for the command line."""
    return error.message if "--" in error.hint or error.hint.startswith("clew ") else str(error)


def _add_documents(app: FastAPI, shelf: Shelf, markup: Markup, conversations: Conversations) -> None:
    actions = {"add": shelf.add, "again": shelf.again, "remove": shelf.remove, "cancel": shelf.cancel}

    @app.get("/documents")
    def documents(owner: Owner, find: str = "", by: str = "name", html: bool = False) -> Told:
        listing, work = shelf.listing(), shelf.current
        told = {"state": listing.state, "count": listing.documents, "busy": work.stage if work else ""}
        return told | ({"html": markup.documents(shelf, listing, find, by, not owner)} if html else {})

    @app.post("/documents", dependencies=[own(NOT_YOURS)])
    def changed(do: str, path: str) -> Told:
        if do not in actions:
            raise BadInput(f"there is nothing that is called {do}", f"do={'|'.join(actions)}")
        actions[do](path)
        return {}

    @app.post(FILES, dependencies=[own(NOT_YOURS)])
    async def file(request: Request, name: str) -> Told:
        async with contextmanager_in_threadpool(shelf.receiving(name)) as kept:
            async for part in request.stream():
                if kept.tell() <= LARGEST:  # of a larger one, which is refused, the rest is not kept
                    await run_in_threadpool(kept.write, part)
        return {}

    @app.get("/document")
    def document(
        owner: Owner,
        asked: Annotated[WhereTo, Depends()],
        id: str = "",  # noqa: A002 as the address has it
        thread: str = "",
        turn: int = 0,
        source: int = 0,
    ) -> Told:
        if not turn:
            return {"html": markup.render("document", reading=opened_document(shelf.settings, id, asked))}
        answer = conversations.turn(thread, turn, owner).answer
        if not 0 < source <= len(answer.sources):
            raise BadInput("this answer has no such source")
        return {"html": markup.render("document", reading=opened_source(shelf.settings, answer, source, asked))}


def _add_conversations(app: FastAPI, markup: Markup, conversations: Conversations) -> None:
    assistant, served = conversations.assistant, secrets.token_hex(8)

    @app.get("/conversation")
    def conversation(owner: Owner, thread: str = "") -> Told:
        return {"served": served, "at": conversations.at(thread, owner)}

    @app.get("/documents/names")
    def names(find: str = "") -> Told:
        return {"names": [one for one in TYPED if find and one.startswith(find)] or assistant.names(find)}

    @app.get("/comparison")
    def comparison(owner: Owner, thread: str, turn: int) -> Told:
        asked = conversations.turn(thread, turn, owner)
        with assistant.library_now() as services:
            lookups = compared(services, asked)
        return {"html": markup.render("comparison", question=asked.rewritten or asked.question, lookups=lookups)}

    @app.get("/map")
    def map_(owner: Owner, thread: str = "", turn: int = 0) -> Told:
        turns = conversations.turns(thread, owner)
        with assistant.library_now() as services:
            drawn = map_of(services.library.store, turns, turn)
        return {"html": markup.render("map", map=drawn), "map": asdict(drawn)}


def _add_settings(app: FastAPI, shelf: Shelf, markup: Markup, conversations: Conversations) -> None:
    assistant = conversations.assistant

    def shown(owner: str, said: str = "", llm: dict[str, str] | None = None) -> Told:
        now, checks = panel(assistant), tested(assistant, llm) if llm else ()
        html = markup.render("settings", panel=now, checks=checks, said=said, may_change=not owner)
        return {"html": html, "model": model_of(assistant.services.writers)}

    @app.get("/settings")
    def settings(owner: Owner) -> Told:
        return shown(owner)

    @app.post("/settings", dependencies=[own(NOT_YOUR_SETTINGS)])
    def set_(request: Request, passages: int = 0, library: str = "", language: str = "", test: bool = False) -> Told:
        llm = {part: request.query_params.get(part, "") for part in PARTS}
        if test:
            return shown("", llm=llm)
        change(assistant, passages, llm, language)
        if library in ("", str(assistant.settings.library)):
            return shown("", "In use from the next question on.")
        shelf.others.put(other_library(assistant, library))
        return {"opens": True, "said": f"Opening {library}…"}
