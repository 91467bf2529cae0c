"""What the page asks for beside Gradio: the list of documents, what a person does with it, files that come through the
browser, and a document opened at a passage. The guard has let in who asks; who is not of this machine only looks."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from fastapi.responses import JSONResponse

from clew.agent.state import Answer
from clew.memory.errors import BadInput, ClewError
from clew.ui.web.guard import FILES, OWNER
from clew.ui.web.markup import Markup
from clew.ui.web.reader import DocumentReader, WhereTo
from clew.ui.web.shelf import LARGEST, Shelf

NOT_YOURS = "documents are added and removed by the person of the machine that serves this page"

Answers = Callable[[str, int, str], Answer]
"""Of a thread and the number of a turn, for an owner. Raises `BadInput` where there is none for this one."""


def routes(shelf: Shelf, reader: DocumentReader, markup: Markup, answers: Answers) -> APIRouter:
    made = APIRouter()
    actions = {"add": shelf.add, "again": shelf.again, "remove": shelf.remove, "cancel": shelf.cancel}

    @made.get("/documents")
    def documents(request: Request, find: str = "", by: str = "name", html: bool = False) -> JSONResponse:
        return _told(lambda: _list(shelf, markup, find, by, html, not request.scope[OWNER]))

    @made.get("/documents/names")
    def names(find: str = "") -> JSONResponse:
        return _told(lambda: {"names": shelf.names(find)})

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
            answer = answers(thread, turn, request.scope[OWNER])
            if not 0 < source <= len(answer.sources):
                raise BadInput("this answer has no such source")
            return {"html": markup.document(reader.source(answer, source, asked))}

        return _told(read)

    return made


def _list(shelf: Shelf, markup: Markup, find: str, by: str, html: bool, may_change: bool) -> dict[str, Any]:
    listing, work = shelf.listing(), shelf.current
    told: dict[str, Any] = {"state": listing.state, "count": listing.documents, "busy": work.stage if work else ""}
    return told | ({"html": markup.documents(shelf, listing, find, by, may_change)} if html else {})


def _check_own(request: Request) -> None:
    if request.scope[OWNER]:
        raise BadInput(NOT_YOURS)


def _told(what: Callable[[], dict[str, Any]]) -> JSONResponse:
    """What goes wrong is said in words, where a person reads them."""
    try:
        return JSONResponse(what())
    except ClewError as error:
        return JSONResponse({"said": str(error)})
