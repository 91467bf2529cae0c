"""What a library is made with: the parameters given, else those that it was made with, else the defaults."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from clew.memory.communities import Method
from clew.memory.knowledge.chunkers import Chunker
from clew.memory.knowledge.chunking import ChunkerParameters
from clew.memory.knowledge.disk import TriplesFrom, recorded
from clew.memory.knowledge.extraction.extractors import RULES, Chosen, extractor_named
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.keywords import KeywordParameters
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
    triples: TriplesFrom | None = None
    extractor: str | None = None
    communities: Method | None = None
    pages: Pages | None = None
    model: Model | None = None
    summariser: Writer | None = None


class Choices(NamedTuple):
    """The parameters as given or as the library has them; `notes` names those that changed."""

    chunker: Chunker
    keywords: KeywordParameters
    triples: TriplesFrom
    extractor: Chosen
    communities: Method
    pages: Pages
    writer: Writer | None
    same_chunker: bool
    same_layers: bool
    notes: list[str]


def choose(parameters: Parameters, library: Path, fresh: bool) -> Choices:
    """`fresh`: no generation is gone on from. Raises `BadInput` and `NotSetUp` for an extractor that there is not."""
    had = recorded(library)
    chunker = parameters.chunker or had.chunker or ChunkerParameters()
    triples = parameters.triples or had.triples or "auto"
    extractor = extractor_named(parameters.extractor or had.extractor or RULES, parameters.model)
    communities, writer = parameters.communities or had.communities or "leiden", parameters.summariser
    had_pages = had.pages or ALL
    pages = had_pages if parameters.pages is None else parameters.pages
    same_chunker = fresh or chunker == had.chunker
    same_layers = fresh or (triples == had.triples and extractor.name == had.extractor)
    notes = [] if same_chunker else [f"the chunker is '{chunker.name}' now: all documents are chunked anew"]
    if not same_layers:
        anew = f"entities are told anew, with --triples {triples} and the extractor '{extractor.name}'"
        notes.append("entities and triples are left out now" if triples == "none" else anew)
    if not fresh and communities != had.communities:
        notes.append(f"communities are found anew, by {communities}")
    if not fresh and writer is not None and writer.name != (had.reports or ""):
        notes.append(f"community reports are written by {writer.name}")
    if not fresh and pages != had_pages:
        chosen = f"the pages of Wikipedia dumps are chosen by {pages} now"
        notes.append(chosen if pages else "all pages of Wikipedia dumps are read now")
    return Choices(
        chunker,
        parameters.keywords,
        triples,
        extractor,
        communities,
        pages,
        writer,
        same_chunker,
        same_layers,
        notes,
    )
