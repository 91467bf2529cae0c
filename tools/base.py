"""The contract of a tool, with one method `search`; the fusion of a question's forms; the LangChain retriever."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Findings, Form, Passage, Query, Sentence, Vector, Wording
from clew.memory.dialogue.signals import mean_vector
from clew.memory.knowledge.aligners.scoring import Aligner
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.structure import Structure
from clew.memory.knowledge.walking.walker import LateInteraction
from clew.memory.ports import Encoder

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.retrievers import BaseRetriever


_Parameters = TypeVar("_Parameters")


class Tool(Protocol):
    """A retrieval method over a library. `description` is written for a small language model that has to choose."""

    name: str
    description: str

    def search(self, query: Query, k: int) -> Findings:
        """At most k passages, best first. Raises `Cancelled` and `DeadlineExceeded` as `query.check` does."""


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """For `walk`: late interaction, and an aligner in the place of votes.
    `structure` opens the library's trees. `parameters` are those of tools that are not their defaults."""

    late: LateInteraction | None = None
    aligner: Aligner | None = None
    structure: Callable[[], Structure] | None = None
    parameters: tuple[object, ...] = ()

    def of(self, kind: type[_Parameters]) -> _Parameters:
        """The parameters of one tool."""
        return next((one for one in self.parameters if isinstance(one, kind)), kind())


DEFAULTS = ToolSettings()

Make = Callable[[Search, ToolSettings], Tool]
"""How the registry makes a tool over a library: each tool's own `make`."""


# What the forms of a question find, as one --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class FormScores:
    """The scores of each form of a question, of shape (forms, ids), NaN where its search did not come to an id."""

    ids: Sequence[str]
    scores: NDArray[np.float64]


def fuse(forms: Sequence[Form], found: FormScores) -> dict[str, float]:
    """Id -> weighted sum of its scores over the forms, best first; ties keep the order of the ids.

    NaN counts as the lowest score of its form. Scores must be comparable between forms.
    """
    if not len(found.ids):
        return {}
    scores = found.scores.copy()
    for row in scores:
        unknown = np.isnan(row)
        row[unknown] = 0.0 if unknown.all() else row[~unknown].min()
    total = np.array([form.weight for form in forms]) @ scores
    return {found.ids[place]: float(total[place]) for place in np.argsort(-total, kind="stable")}


def ranks_by_form(forms: Sequence[Form], found: FormScores, id_: str) -> dict[str, int]:
    """Form -> the id's rank, from 1, by that form alone, ties all of the better rank; forms with NaN are left out."""
    place = found.ids.index(id_)
    return {
        form.name: 1 + int((row > row[place]).sum())
        for form, row in zip(forms, found.scores, strict=True)
        if not np.isnan(row[place])
    }


def passages_of(chunks: Sequence[Chunk], tool: str) -> list[Passage]:
    """Without scores."""
    return [Passage(**asdict(chunk), score=0.0, tool=tool) for chunk in chunks]


def fused_passages(store: Search, query: Query, found: FormScores, k: int | None, tool: str) -> list[Passage]:
    """At most k passages (None: all), best first, with score and ranks; the tool adds why each was found. Of copies
    the best counts."""
    scores = fuse(query.forms, found)
    return [
        replace(passage, score=scores[passage.id], ranks=ranks_by_form(query.forms, found, passage.id))
        for passage in passages_of(distinct(store, list(scores), k), tool)
    ]


SHORT = 200
"""Characters. What is no longer says the same under another title only by chance: "a branch of the Tai languages"."""


def told_by(one: Chunk | Passage) -> str:
    """What it says: of copies the same, whatever their files are called."""
    return one.text if len(one.text) > SHORT else f"{one.title}\n{one.text}"


def distinct(store: Search, ids: Sequence[str], k: int | None) -> list[Chunk]:
    """The first k chunks (None: all) of which none says the same as one before, as those of a file's copies do."""
    found, most, start = dict[str, Chunk](), len(ids) if k is None else k, 0
    while start < len(ids) and len(found) < most:
        end = 2 * (start + most)  # a cluster is asked a few times, however many copies there are
        for chunk in store.chunks(ids[start:end]):
            found.setdefault(told_by(chunk), chunk)
        start = end
    return list(found.values())[:most]


def nothing_named(layers: Layers) -> str:
    """The note of a tool that searches by entities and has none where it looks."""
    if len(layers.chunk_ids) and not len(layers.sentence_chunks):
        return "no entities in this library: make them with `clew index YOUR-FOLDER --triples extract`"
    return "no entities: nothing was found to be named in the documents that are searched"


# What is asked ------------------------------------------------------------------------------------------------------


def encode_query(
    text: str,
    wordings: Sequence[Wording],
    encoder: Encoder,
    scope: frozenset[str] | None = None,
    context: Sequence[Sentence] = (),
) -> Query:
    """The question with the unit vectors of its wordings (none: the question as it is): of each its text's and
    `Wording.context` times the context's mean, which is the query's `history`."""
    given = wordings or [Wording("question", text, 1.0)]
    vectors = encoder.encode([wording.text for wording in given], "query")
    mean = mean_vector(context, encoder)
    forms = [
        Form(w.name, w.text, w.weight, vector if mean is None or not w.context else _moved(vector, w.context * mean))
        for w, vector in zip(given, vectors, strict=True)
    ]
    return Query(text, tuple(forms), context=tuple(context), history=mean, scope=scope)


def _moved(vector: Vector, by: Vector) -> Vector:
    moved = vector + by
    return np.asarray(moved / np.linalg.norm(moved), np.float32)


# Over a part of a library -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class OverParts:
    """A tool over a library that has no graph of all: made for each question, over the part that it reaches."""

    name: str
    description: str
    make: Callable[[Search], Tool]
    store: Search

    def search(self, query: Query, k: int) -> Findings:
        return self.over(query).search(query, k)

    def over(self, query: Query) -> Tool:
        query.check()
        return self.make(self.store.around(query))


def for_question(tool: Tool, query: Query) -> Tool:
    """The tool, as it is for this question."""
    return tool.over(query) if isinstance(tool, OverParts) else tool


# For LangChain ------------------------------------------------------------------------------------------------------


def as_retriever(tool: Tool, encoder: Encoder, k: int = 5) -> "BaseRetriever":
    """The tool as a LangChain retriever: each passage is a `Document` with its place and score as metadata."""
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.retrievers import BaseRetriever

    class ToolRetriever(BaseRetriever):
        def _get_relevant_documents(
            self,
            query: str,
            *,
            run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 the signature is LangChain's
        ) -> list["LangChainDocument"]:
            return [_langchain_document(p) for p in tool.search(encode_query(query, [], encoder), k).passages]

    return ToolRetriever(name=tool.name)


def _langchain_document(passage: Passage) -> "LangChainDocument":
    from langchain_core.documents import Document

    names = ("document", "title", "score", "tool", "why", "page", "heading", "source", "start", "end")
    return Document(page_content=passage.text, id=passage.id, metadata={name: getattr(passage, name) for name in names})
