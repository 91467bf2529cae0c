"""Questions about the whole library, limited ones, and several tools in one turn."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from tests.agent.conftest import over, turn_of

THREADS = count()
OVERVIEW = "What is this collection about?"


@pytest.fixture(scope="module")
def assistant(examples_path: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    home = tmp_path_factory.mktemp("data")
    with Assistant.open(read_settings(library=examples_path, home=home, cache=cache)) as opened:
        yield opened


def ask(assistant: Assistant, *questions: str, tool: str = "", scope: tuple[str, ...] = ()) -> Turn:
    """One after the other in a conversation of their own; the last turn."""
    thread = f"t{next(THREADS)}"
    for question in questions:
        turn = turn_of(assistant, thread, question, tool=tool, scope=scope)
    return turn


def test_what_the_collection_is_about_is_told_in_few_words(assistant: Assistant) -> None:
    """A line a folder, with titles of documents."""
    turn = ask(assistant, OVERVIEW)
    assert (turn.calls, turn.answer.outcome, turn.answer.form) == ((), "answered", "overview")
    assert turn.answer.claims[0].text == "There are 35 documents here, in 5 folders:"
    assert turn.answer.text.count("\n") == 5 and len(turn.answer.text.split()) <= 130
    cited = [claim for claim in turn.answer.claims if claim.cites]
    assert len(cited) >= 5 and all(claim.verdict == "supported" for claim in cited)
    documents = {d.title for d in assistant.services.library.store.catalogue.documents}
    assert {claim.text.strip("\u201c\u201d") for claim in cited if not claim.quotes} <= documents
    steps = {step.node: step for step in turn.steps}
    assert steps["corpus"].summary.startswith("no search")
    assert "think" not in steps


def test_a_scope_is_told_of_alone_and_a_later_question_goes_on(assistant: Assistant) -> None:
    turn = ask(assistant, "Summarise everything", scope=("films/metropolis.md",))
    assert {source.document for source in turn.answer.sources} == {"films/metropolis.md"}
    later = ask(assistant, OVERVIEW, "Who directed Metropolis?")
    assert "Fritz Lang" in later.answer.text and later.calls[0].tool == "hybrid"


@pytest.mark.parametrize(
    ("questions", "document"),
    [
        (("Can you summarise metropolis.md for me?",), "films/metropolis.md"),
        (("In metropolis.md, who directed the film?", "summarise this document"), "films/metropolis.md"),
        (("What happens in Berlin at night?",), ""),
        (("Summarise the rules of cricket",), ""),
    ],
)
def test_a_summary_is_of_the_document_that_is_meant_and_quotes_it(
    assistant: Assistant, questions: tuple[str, ...], document: str
) -> None:
    turn = ask(assistant, *questions)
    assert (turn.answer.outcome == "summary") == bool(document)
    if not document:
        return
    assert (turn.calls, turn.answer.form, {source.document for source in turn.answer.sources}) == (
        (),
        "summary",
        {document},
    )
    (held,) = assistant.services.library.store.documents([document])
    quotes = [quote for claim in turn.answer.claims for quote in claim.quotes]
    assert quotes and all(held.text[quote.start : quote.end] == quote.text for quote in quotes)
    assert len(turn.answer.text.split()) <= 150


def test_a_question_is_limited_to_the_document_that_it_names(assistant: Assistant) -> None:
    turn = ask(assistant, "According to metropolis.md, who directed it?")
    assert {passage.document for passage in turn.passages} == {"films/metropolis.md"}
    refused = ask(assistant, "According to metropolis.md, who was Laika?").answer
    assert refused.refused and refused.text.startswith("\u201cMetropolis\u201d says nothing ")


def test_several_tools_search_together(assistant: Assistant) -> None:
    """Seed 001's answer draws on local and global search together; who names tools has these alone."""
    turn = ask(assistant, "Who directed Metropolis?", tool="local+communities")
    assert [call.tool for call in turn.calls][:2] == ["local", "communities"]
    assert {passage.tool for passage in turn.passages} == {"local", "communities"}
    assert len({passage.id for passage in turn.passages}) == len(turn.passages)
    assert "Fritz Lang directed Metropolis" in turn.answer.text
    with pytest.raises(BadInput, match="there is no tool 'oracle'"):
        ask(assistant, "Who?", tool="local+oracle")


LETTERS = {
    "a.txt": "Letter of 3 May 2024\n\nThe roof is mended.\n",
    "b.txt": "Letter of 9 June 2023\n\nThe roof leaks.\n",
    "c.txt": "Letter of 1 July 2024\n\nThe cellar is wet.\n",
    "d.md": "# Protokoll vom 4. Mai\n\nDie Heizung wurde repariert. Die Firma Brugger hat die Arbeiten ausgeführt.\n",
}


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory, cache: Path, encoder: CachedEncoder) -> Iterator[Assistant]:
    with over(LETTERS, tmp_path_factory.mktemp("letters"), cache, encoder) as assistant:
        yield assistant


def test_documents_are_told_of_in_the_language_of_the_question(letters: Assistant) -> None:
    assert ask(letters, "Worum geht es in diesen Dokumenten?").answer.text.startswith("Hier gibt es 4 Dokumente:")
    told = ask(letters, "Fasse das Protokoll zusammen").answer
    assert told.outcome == "summary" and "Heizung" in told.text and "kurz:" in told.claims[0].text


SAID_IN_GERMAN = {
    "What is this collection about?": "Hier gibt es 4 Dokumente:",
    "Who is the king of Atlantis?": "Die gefundenen Dokumente sagen nichts über Atlantis",
    "Is the cellar wet?": "Die Dokumente sagen:",
    "Who is the king of Atlantis? Who leads the Ostrogoths?": "Ostrogoths? Die gefundenen Dokumente",
    "Thank you!": "Gern geschehen.",
}


def test_a_language_that_is_set_is_spoken_whatever_the_question_is_in(letters: Assistant) -> None:
    with pytest.raises(BadInput, match="does not speak 'klingon'"):
        letters.change(language="klingon")
    letters.change(language="de")
    try:
        for question, said in SAID_IN_GERMAN.items():
            assert said in ask(letters, question).answer.text
    finally:
        letters.change(language="auto")
    assert ask(letters, "Thank you!").answer.text == "You are welcome."
