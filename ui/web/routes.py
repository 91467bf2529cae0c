"""What the page asks for beside Gradio: the list of documents, what a person does with it, files that come through the
browser, a document opened at a passage, the map. The guard has let in who asks; who is not of this machine only
looks."""

import secrets
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from fastapi.responses import JSONResponse

from clew.memory.errors import BadInput, ClewError
from clew.ui.rendering import model_of
from clew.ui.slash import COMMANDS
from clew.ui.web.guard import FILES, OWNER
from clew.ui.web.library_map import map_of
from clew.ui.web.markup import Markup
from clew.ui.web.panel import PARTS, change, compared, other_library, panel, tested
from clew.ui.web.reader import DocumentReader, WhereTo
from clew.ui.web.shelf import LARGEST, Shelf
from clew.ui.web.views import Conversations

TYPED = [command.name for command in COMMANDS if not command.on_screen]
NOT_YOURS = "documents are added and removed by the person of the machine that serves this page"
NOT_YOUR_SETTINGS = "passages and language models are set by the person of the machine that serves this page"


def routes(shelf: Shelf, reader: DocumentReader, markup: Markup, conversations: Conversations) -> APIRouter:
    made, served = APIRouter(), secrets.token_hex(8)
    _further_routes(made, shelf, markup, conversations)
    actions = {"add": shelf.add, "again": shelf.again, "remove": shelf.remove, "cancel": shelf.cancel}

    @made.get("/documents")
    def documents(request: Request, find: str = "", by: str = "name", html: bool = False) -> JSONResponse:
        return _told(lambda: _list(shelf, markup, find, by, html, not request.scope[OWNER]))

    @made.get("/conversation")
    def conversation(request: Request, thread: str = "") -> JSONResponse:
        return _told(lambda: {"served": served, "at": conversations.at(thread, request.scope[OWNER])})

    @made.post("/documents")
    def changed(request: Request, do: str, path: str) -> JSONResponse:
        def act() -> dict[str, Any]:
            _check_own(request)
            if do not in actions:
                raise BadInput(f"there is nothing that is called {do}", f"do={'|'.join(actions)}")
            actions[do](path)
            return {}

        return _told(act)

    @made.post(FILES)
    async def file(request: Request, name: str) -> JSONResponse:
        try:
            _check_own(request)
            async with contextmanager_in_threadpool(shelf.receiving(name)) as kept:
                async for part in request.stream():
                    if kept.tell() <= LARGEST:  # of a larger one, which is refused, the rest is not kept
                        await run_in_threadpool(kept.write, part)
        except ClewError as error:
            return JSONResponse({"said": str(error)})
        return JSONResponse({})

    @made.get("/document")
    def document(
        request: Request,
        asked: Annotated[WhereTo, Depends()],
        id: str = "",  # noqa: A002 as the address has it
        thread: str = "",
        turn: int = 0,
        source: int = 0,
    ) -> JSONResponse:
        def read() -> dict[str, Any]:
            if not turn:
                return {"html": markup.document(reader.document(id, asked))}
            answer = conversations.turn(thread, turn, request.scope[OWNER]).answer
            if not 0 < source <= len(answer.sources):
                raise BadInput("this answer has no such source")
            return {"html": markup.document(reader.source(answer, source, asked))}

        return _told(read)

    return made


def _further_routes(made: APIRouter, shelf: Shelf, markup: Markup, conversations: Conversations) -> None:
    assistant = conversations.assistant

    def shown(request: Request, said: str = "", llm: dict[str, str] | None = None) -> dict[str, Any]:
        checks = tested(assistant, llm) if llm else ()
        html = markup.settings(panel(assistant, checks), said, not request.scope[OWNER])
        return {"html": html, "model": model_of(assistant.services.writers)}

    @made.get("/settings")
    def now(request: Request) -> JSONResponse:
        return _told(lambda: shown(request))

    @made.post("/settings")
    def set_(
        request: Request, passages: int = 0, library: str = "", language: str = "", test: bool = False
    ) -> JSONResponse:
        llm = {part: request.query_params.get(part, "") for part in PARTS}

        def act() -> dict[str, Any]:
            _check_own(request, NOT_YOUR_SETTINGS)
            if test:
                return shown(request, llm=llm)
            change(assistant, passages, llm, language)
            if library in ("", str(assistant.settings.library)):
                return shown(request, "In use from the next question on.")
            shelf.others.put(other_library(assistant, library))
            return {"opens": True, "said": f"Opening {library}…"}

        return _told(act)

    @made.get("/comparison")
    def comparison(request: Request, thread: str, turn: int) -> JSONResponse:
        def looked_up() -> dict[str, Any]:
            asked = conversations.turn(thread, turn, request.scope[OWNER])
            with assistant.library_now() as services:
                return {"html": markup.comparison(asked, compared(services, asked))}

        return _told(looked_up)

    @made.get("/documents/names")
    def names(find: str = "") -> JSONResponse:
        return _told(
            lambda: {"names": [one for one in TYPED if find and one.startswith(find)] or assistant.names(find)}
        )

    @made.get("/map")
    def map_(request: Request, thread: str = "", turn: int = 0, around: int = -1) -> JSONResponse:
        def drawn() -> dict[str, Any]:
            turns = conversations.turns(thread, request.scope[OWNER])
            with assistant.library_now() as services:
                found = map_of(services.library.store, turns, turn, around)
            return {"html": markup.map(found), "map": asdict(found)}

        return _told(drawn)


def _list(shelf: Shelf, markup: Markup, find: str, by: str, html: bool, may_change: bool) -> dict[str, Any]:
    listing, work = shelf.listing(), shelf.current
    told: dict[str, Any] = {"state": listing.state, "count": listing.documents, "busy": work.stage if work else ""}
    return told | ({"html": markup.documents(shelf, listing, find, by, may_change)} if html else {})


def _check_own(request: Request, wrong: str = NOT_YOURS) -> None:
    if request.scope[OWNER]:
        raise BadInput(wrong)


def _told(what: Callable[[], dict[str, Any]]) -> JSONResponse:
    """What goes wrong is said in words, where a person reads them."""
    try:
        return JSONResponse(what())
    except ClewError as error:
        return JSONResponse({"said": str(error)})
