"""The tools that an agent can use with a library: the same for a model's plan, LangChain and MCP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from clew.agent.search import rounds, router
from clew.agent.search.tool_calls import SHOWN, ToolSpec
from clew.agent.services import Services
from clew.agent.state import Call
from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.errors import BadInput
from clew.memory.knowledge.catalogue import Catalogue, Listed
from clew.memory.ports import Abilities
from clew.memory.text import number_of
from clew.tools.base import encode_query, for_question, passages_of
from clew.tools.calculate import CALCULATE, calculate
from clew.tools.hybrid import Hybrid
from clew.tools.table import TableRequest, TableTool, there_are
from clew.tools.table_links import QuestionWords, linked_to, shipped

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

LISTED = 30
"""Documents in a list."""

PARTS = 1_000
"""Chunks of a document that are searched."""


class SearchArguments(BaseModel):
    query: str = Field(description="What to look for: a question or key words, complete in itself.")
    within: str = Field("", description="The title or the path of a document or a folder to look in.")
    from_date: str = Field("", description="Only documents of this day or later: 2024-05-01, 2024-05 or 2024.")
    to_date: str = Field("", description="Only documents of this day or earlier.")


class ReadDocument(BaseModel):
    title: str = Field(description="The title or the path of the document.")
    page: str = Field(
        "", coerce_numbers_to_str=True, description="Its page; of a document without pages the number of its part."
    )


class ListDocuments(BaseModel):
    about: str = Field("", description="What they are about; empty: all of them.")


class Calculate(BaseModel):
    expression: str = Field(description="1,200 EUR - 950 EUR, 19% * 250, 2024-05-01 + 30 days")


SEARCH, READ, LIST = "search", "read_document", "list_documents"
OWN = (
    ToolSpec(SEARCH, "passages, by key words and meaning, with links followed where that finds more", SearchArguments),
    ToolSpec(READ, "a document, or a page of it", ReadDocument),
    ToolSpec(LIST, "titles and dates of documents", ListDocuments),
    ToolSpec(CALCULATE, "a sum with units or days, such as 1,200 EUR - 950 EUR or 2024-05-01 + 30 days", Calculate),
    ToolSpec(TableTool.name, TableTool.description, TableRequest),
)
"""All tools but the search methods, which take the arguments of `search`."""


def offered(services: Services, abilities: Abilities, question: str) -> tuple[ToolSpec, ...]:
    """The tools that a model may plan with, described in a sentence each. A large model also gets the search methods,
    and `table` with the tables that the question names."""
    specs = [
        replace(spec, description=spec.description.partition(". ")[0])
        for spec in (all_tools(services).values() if abilities.is_large else OWN)
        if spec.name != TableTool.name
    ]
    tables = services.library.store.tables
    if abilities.is_large and tables.all:
        words = QuestionWords(question, services.fitted, shipped())
        near = [one.table for one in linked_to(words, tables, services.fitted, shipped())]
        specs.append(ToolSpec(TableTool.name, f"{TableTool.description} {there_are(near)}", TableRequest))
    return tuple(specs)


def all_tools(services: Services) -> Mapping[str, ToolSpec]:
    """The tools with the search methods by name."""
    methods = (ToolSpec(tool.name, tool.description, SearchArguments) for tool in services.tools.values())
    return {spec.name: spec for spec in (*OWN, *methods)}


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Calls tools. `scope` are ids of the documents to look in (None: all), `question` is the turn's, `most` is the
    number of passages that a call returns."""

    services: Services
    scope: frozenset[str] | None = None
    question: Query | None = None
    most: int = SHOWN

    def call(self, name: str, given: Mapping[str, Any], first: str = "") -> Findings:
        """The findings of a tool with these arguments; `first`, if there is one, is its first. Results that are from no
        document have no `document`. Raises `BadInput`, with a message for the caller, for other arguments than the tool
        takes, a document that does not exist or an invalid calculation."""
        if name not in (tools := all_tools(self.services)):
            raise BadInput(f"there is no tool '{name}'", f"one of {', '.join(tools)}")
        kind = tools[name].arguments
        try:
            wanted = kind.model_validate({**({next(iter(kind.model_fields)): first} if first else {}), **given})
        except ValidationError as error:
            wrong = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            raise BadInput("; ".join(wrong)) from error
        match wanted:
            case ReadDocument():
                return Findings(tuple(self._read(wanted)))
            case ListDocuments(about=about):
                return Findings((self._listed(about),))
            case Calculate(expression=expression):
                text = calculate(expression)
                return Findings((Passage(f"{name}: {text}", "", "Worked out", text, 0.0, name, "worked out"),))
            case TableRequest():
                found = TableTool(self.services.library.store.tables).call(wanted, self.scope)
                return Findings((found.passage,))
        assert isinstance(wanted, SearchArguments)
        return self._search(name, wanted)

    def _search(self, name: str, given: SearchArguments) -> Findings:
        scope, notes = self._limited(given)
        query = encode_query(given.query, [], self.services.encoder, scope)
        if name == SEARCH:
            found = _by_policy(self.services, query, self.most)
        else:
            found = for_question(self.services.tools[name], query).search(query, self.most)
        return Findings(found.passages, (*notes, *found.notes))

    def _limited(self, given: SearchArguments) -> tuple[frozenset[str] | None, tuple[str, ...]]:
        """The documents to look in, and notes. A limit that would leave no document is ignored, and a note says so."""
        catalogue, scope, notes = self.services.library.store.catalogue, self.scope, list[str]()
        dated = [one for one in catalogue.documents if one.date]
        limits = (
            ("called", given.within, _called(catalogue, given.within)),
            ("since", given.from_date, [one for one in dated if given.from_date <= f"{one.date}~"]),
            ("up to", given.to_date, [one for one in dated if one.date <= f"{given.to_date}~"]),
        )
        for how, limit, documents in limits:
            kept = frozenset(one.id for one in documents if scope is None or one.id in scope)
            if limit and not kept:
                notes.append(f"no document is {how} '{limit}': looked in the others too")
            scope = kept if limit and kept else scope
        return scope, tuple(notes)

    def _read(self, given: ReadDocument) -> list[Passage]:
        """Parts of a document in order: those of the page, else the nearest to the turn's question, else the first."""
        store = self.services.library.store
        called = [one for one in _called(store.catalogue, given.title) if self.scope is None or one.id in self.scope]
        if not called:
            raise BadInput(f"there is no document '{given.title}'", f"{LIST} says what there is")
        near = self.question or encode_query(given.title, [], self.services.encoder)
        (hits,) = store.vector_search(near.forms[0].vector[None], PARTS, scope=frozenset({called[0].id}))
        chunks = sorted(store.chunks([hit.chunk for hit in hits]), key=lambda chunk: chunk.start)
        pages = [chunk.page or str(1 + place // self.most) for place, chunk in enumerate(chunks)]
        if given.page and given.page not in pages:
            raise BadInput(f"'{called[0].title}' has no page {given.page}", f"pages are {pages[0]} to {pages[-1]}")
        nearest = {hit.chunk for hit in (hits[: self.most] if self.question else hits)}
        if given.page:
            nearest = {chunk.id for chunk, page in zip(chunks, pages, strict=True) if page == given.page}
        parts = [chunk for chunk in chunks if chunk.id in nearest][: self.most]
        return [replace(one, why=f"read: {given.title}") for one in passages_of(parts, READ)]

    def _listed(self, about: str) -> Passage:
        """A list of documents: those with this name; if there are none, all, first those that a search for it finds."""
        catalogue = self.services.library.store.catalogue
        named = _called(catalogue, about)
        near = {one.document for one in self.call(SEARCH, {"query": about}).passages} if about and not named else set()
        found = named or sorted(catalogue.documents, key=lambda one: one.id not in near)
        found = [one for one in found if self.scope is None or one.id in self.scope]
        places = [", ".join(filter(None, (one.id, one.date))) for one in found]
        lines = [f"- {catalogue.shown[one.id]} ({at})" for one, at in zip(found, places, strict=True)][:LISTED]
        more = [f"and {len(found) - LISTED} more"] if len(found) > LISTED else []
        title = number_of(len(found), "document") + (f" about {about}" if named else "")
        return Passage(f"{LIST}: {about}", "", title, "\n".join([*lines, *more]), 0.0, LIST, "listed")


def _called(catalogue: Catalogue, name: str) -> tuple[Listed, ...]:
    """The documents with this title or path, or in a folder of this name or path; else the best match by name."""
    wanted = name.casefold().strip(" /\"'")
    if not wanted:
        return ()
    exact = [one for one in catalogue.documents if wanted in _names(one, catalogue)]
    return tuple(exact) or catalogue.named(name).documents


def _names(one: Listed, catalogue: Catalogue) -> set[str]:
    folders = [*one.path[:-1], *("/".join(one.path[:end]) for end in range(1, len(one.path)))]
    return {name.casefold() for name in (one.id, one.title, catalogue.shown[one.id], *one.path[-1:], *folders)}


def _by_policy(services: Services, query: Query, most: int) -> Findings:
    """What `hybrid` finds, and what the tools find that the router then chooses."""
    hybrid = services.tools[Hybrid.name]
    assert isinstance(hybrid, Hybrid)
    if not services.library.manifest.chunks:
        return Findings(notes=("the library has no documents",))
    matches = hybrid.matches(query, services.evidence)
    first = hybrid.findings(query, matches, router.LOOKED).passages
    _, names = router.tools_beside(query.text, first, matches.hits[0], services.library, services.router)
    found = [for_question(services.tools[name], query).search(query, most) for name in names]
    ran = [(Call(SEARCH, ()), one) for one in (hybrid.findings(query, matches, most), *found)]
    pool = rounds.pooled((), ran, further=False)
    return Findings(pool.passages[:most], tuple(note for _, one in ran for note in one.notes))


def numbered(found: Findings) -> str:
    """The findings as text, with numbers for an agent to cite."""
    lines = [f"[{n}] {passage.name}: {passage.text}" for n, passage in enumerate(found.passages, 1)]
    return "\n\n".join([*lines, *found.notes]) or "Nothing was found."


# For LangChain ------------------------------------------------------------------------------------------------------


def langchain_tools(services: Services, most: int = SHOWN) -> "list[BaseTool]":
    """All tools, and the search methods by name, for a LangChain agent: typed arguments in; passages as numbered text
    and as artifact (`Findings`) out. Errors are returned to the agent as a line."""
    from langchain_core.tools import StructuredTool, ToolException

    toolbox = Toolbox(services, most=most)

    def called(name: str) -> Callable[..., tuple[str, Findings]]:
        def call(**given: str) -> tuple[str, Findings]:
            try:
                found = toolbox.call(name, given)
            except BadInput as error:
                raise ToolException(str(error)) from error
            return numbered(found), found

        return call

    return [
        StructuredTool.from_function(
            called(spec.name),
            name=spec.name,
            description=spec.description,
            args_schema=spec.arguments,
            response_format="content_and_artifact",
            handle_tool_error=True,
        )
        for spec in all_tools(services).values()
    ]
