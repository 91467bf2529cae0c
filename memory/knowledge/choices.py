"""What a library is made with: as asked for, else as it was made before, else the defaults."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from clew.memory.communities import Method
from clew.memory.knowledge.chunkers import Chunker
from clew.memory.knowledge.chunking import ChunkerParameters
from clew.memory.knowledge.extraction.documents import RULES, Chosen, extractor_named
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.layering import Triples
from clew.memory.knowledge.library import (
    recorded_author,
    recorded_chunker,
    recorded_extractor,
    recorded_method,
    recorded_pages,
    recorded_triples,
)
from clew.memory.knowledge.loaders.source import ALL, Pages
from clew.memory.ports import Writer


@dataclass(frozen=True, slots=True)
class Parameters:
    """None is what the library has. For a new one `chunker` is by sentences, `triples` are `auto`, and `extractor` is
    by rules (`extractor_named`); others than before chunk or extract all anew. `communities` are found by Leiden.
    `pages` of Wikipedia dumps are all; other ones than before read the dumps again. `model` is for the extractor `llm`;
    `summariser` writes the reports of communities, which are extracts without."""

    chunker: Chunker | None = None
    keywords: KeywordParameters = field(default_factory=KeywordParameters)
    triples: Triples | None = None
    extractor: str | None = None
    communities: Method | None = None
    pages: Pages | None = None
    model: Model | None = None
    summariser: Writer | None = None


class Choices(NamedTuple):
    """The parameters as said or as the library has them; `notes` names those that are other ones than before."""

    chunker: Chunker
    triples: Triples
    extractor: Chosen
    communities: Method
    pages: Pages
    writer: Writer | None
    same_chunker: bool
    same_layers: bool
    notes: list[str]


def choose(parameters: Parameters, library: Path, fresh: bool) -> Choices:
    """Raises `BadInput` and `NotSetUp` for an extractor that there is not."""
    had, used, by = recorded_chunker(library), recorded_triples(library), recorded_extractor(library)
    chunker = parameters.chunker or had or ChunkerParameters()
    triples = parameters.triples or used or "auto"
    extractor = extractor_named(parameters.extractor or by or RULES, parameters.model)
    same_chunker, same_layers = fresh or chunker == had, fresh or (triples == used and extractor.name == by)
    notes = [f"the chunker is '{chunker.name}' now: all documents are chunked anew"] if not same_chunker else []
    if not same_layers:
        anew = f"entities are told anew, with --triples {triples} and the extractor '{extractor.name}'"
        notes.append("entities and triples are left out now" if triples == "none" else anew)
    found_by, writer = recorded_method(library), parameters.summariser
    communities = parameters.communities or found_by or "leiden"
    if not fresh and communities != found_by:
        notes.append(f"communities are found anew, by {communities}")
    if not fresh and writer is not None and writer.name != recorded_author(library):
        notes.append(f"community reports are written by {writer.name}")
    had_pages = recorded_pages(library) or ALL
    pages = had_pages if parameters.pages is None else parameters.pages
    if not fresh and pages != had_pages:
        chosen = f"the pages of Wikipedia dumps are chosen by {pages} now"
        notes.append(chosen if pages else "all pages of Wikipedia dumps are read now")
    return Choices(chunker, triples, extractor, communities, pages, writer, same_chunker, same_layers, notes)
