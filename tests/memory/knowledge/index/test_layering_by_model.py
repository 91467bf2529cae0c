"""A library whose entities a language model extracts: whom it is asked about, and what is told where it fails."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NotSetUp, ServiceUnreachable
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport
from clew.memory.ports import Message
from tests.memory.knowledge.index.test_layering import FILMS, layers_of, relations, write
from tests.memory.knowledge.index.test_run import manifest, run
from tests.memory.scripted_writer import ScriptedWriter

CAPITAL = json.dumps(
    {
        "entities": [{"name": "Vienna", "type": "place"}, {"name": "Austria", "type": "place"}],
        "triples": [{"subject": "Vienna", "relation": "lies in", "object": "Austria"}],
    }
)


class Librarian(ScriptedWriter):
    """Knows Vienna; keeps the titles that it was asked about."""

    def __init__(self, other: str = "?", name: str = "small") -> None:
        self.asked: list[str] = []
        self._other = other
        super().__init__(self._reply, name=name, window=8000)

    def _reply(self, messages: Sequence[Message], *_: object) -> str:
        self.asked.append(messages[1].text.split('"')[1])
        if self._other == "unplugged" and self.asked[-1] != "Vienna":
            raise ServiceUnreachable("the model does not answer")
        return CAPITAL if "capital of Austria" in messages[1].text else self._other


def indexed(
    corpus: Path, library: Path, encoder: CachedEncoder, writer: ScriptedWriter, extractor: str | None = "llm"
) -> IndexReport:
    """Without a file of answers: nothing but the library itself may save a question."""
    model = Model(writer)
    return run([corpus], library, encoder, parameters=Parameters(extractor=extractor, model=model))


def test_what_the_model_says_is_in_the_library(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library = write(tmp_path / "x.jsonl", {"Vienna": FILMS["Vienna"]}), tmp_path / "library"
    report = indexed(corpus, library, encoder, Librarian())
    assert report.notes == ()
    assert relations(layers_of(library, encoder)) == {("Vienna", "lies in", "Austria")}
    assert manifest(library, encoder).extractor == "llm:small"


def test_where_it_fails_the_rules_extract_and_the_report_says_so(tmp_path: Path, encoder: CachedEncoder) -> None:
    library = tmp_path / "library"
    report = indexed(write(tmp_path / "x.jsonl", FILMS), library, encoder, Librarian())
    (note,) = report.notes
    assert note.startswith("entities of 2 of 3 parts are by rules: the answers of the model small could not be read")
    assert {("Vienna", "lies in", "Austria"), ("Fritz Lang", "born in", "Vienna")} <= relations(
        layers_of(library, encoder)
    )


def test_only_changed_documents_are_asked_about(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library, writer = tmp_path / "x.jsonl", tmp_path / "library", Librarian()
    indexed(write(corpus, FILMS), library, encoder, writer)
    assert set(writer.asked) == set(FILMS)
    writer.asked.clear()
    assert indexed(corpus, library, encoder, writer, None).line.startswith("0 new, 0 changed")
    assert not writer.asked
    changed = {**FILMS, "Fritz Lang": "Fritz Lang was born in Vienna, the capital of Austria."}
    report = indexed(write(corpus, changed), library, encoder, writer, None)
    assert (report.changed, writer.asked, report.notes) == (1, ["Fritz Lang"], ())


def test_a_rebuild_asks_again_only_for_what_failed(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library = write(tmp_path / "x.jsonl", FILMS), tmp_path / "library"
    kept = tmp_path / "answers.sqlite"
    chosen = Parameters(extractor="llm", model=Model(Librarian(), kept))
    assert len(run([corpus], library, encoder, parameters=chosen).notes) == 1
    writer = Librarian("unplugged")
    model = Model(writer, kept)
    report = run([corpus], library, encoder, parameters=Parameters(model=model), rebuild=True)
    assert writer.asked == [next(iter(FILMS))]
    (note,) = report.notes
    assert note.startswith("entities of 2 of 3 parts are by rules: the model small was not reached (the model does not")


def test_without_that_model_it_is_not_set_up(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library = write(tmp_path / "x.jsonl", FILMS), tmp_path / "library"
    with pytest.raises(NotSetUp, match="wants a language model, and none is set up"):
        run([corpus], library, encoder, parameters=Parameters(extractor="llm"))
    indexed(corpus, library, encoder, Librarian())
    with pytest.raises(NotSetUp, match="wants the language model small, and none is set up"):
        run([corpus], library, encoder)
    with pytest.raises(NotSetUp, match="is the language model small, and the one that is set up is large"):
        indexed(corpus, library, encoder, Librarian(name="large"), None)
    report = indexed(corpus, library, encoder, Librarian(name="large"))
    assert "entities are told anew, with --triples auto and the extractor 'llm:large'" in report.notes
    with pytest.raises(BadInput, match="there is no extractor 'llms'"):
        run([corpus], library, encoder, parameters=Parameters(extractor="llms"))
