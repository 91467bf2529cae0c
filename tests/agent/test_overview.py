"""Questions about the whole library, and several tools in one turn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.agent.answer.quoted import led_by
from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.errors import BadInput
from clew.memory.knowledge.index.run import index
from tests.agent.test_assistant import ask


@pytest.fixture
def assistant(examples_path: Path, cache: Path, tmp_path: Path) -> Iterator[Assistant]:
    with Assistant.open(read_settings(library=examples_path, home=tmp_path / "data", cache=cache)) as opened:
        yield opened


def test_what_the_collection_is_about_is_told_in_few_words(assistant: Assistant) -> None:
    """A line a folder, with titles of documents; the step has the titles of all."""
    turn = ask(assistant, "t", "What is this collection about?")
    assert (turn.calls, turn.answer.outcome, turn.answer.form) == ((), "answered", "overview")
    assert turn.answer.claims[0].text == "There are 35 documents here, in 5 folders:"
    assert turn.answer.text.count("\n") == 5 and len(turn.answer.text.split()) <= 120
    cited = [claim for claim in turn.answer.claims if claim.cites]
    assert len(cited) >= 5 and all(claim.verdict == "supported" for claim in cited)
    documents = {d.title for d in assistant.services.library.store.catalogue.documents}
    assert {claim.text.strip("\u201c\u201d") for claim in cited if not claim.quotes} <= documents
    answered = next(step for step in turn.steps if step.node == "answer")
    assert len(answered.details) == 35


def test_a_scope_is_told_of_alone_and_a_later_question_goes_on(assistant: Assistant) -> None:
    *_, turn = assistant.ask("t", "Summarise everything", scope=("films/metropolis.md",))
    assert {source.document for source in turn.answer.sources} == {"films/metropolis.md"}  # type: ignore[union-attr]
    later = ask(assistant, "t", "Who directed Metropolis?")
    assert "Fritz Lang" in later.answer.text and later.calls[0].tool != "communities"


def test_a_tool_that_the_person_names_is_used_all_the_same(assistant: Assistant) -> None:
    turn = ask(assistant, "t", "What is this collection about?", tool="hybrid")
    assert [call.tool for call in turn.calls] == ["hybrid"]


def test_what_happens_in_a_document_whose_title_is_named_is_its_summary(assistant: Assistant) -> None:
    assert ask(assistant, "t", "What happens in Metropolis?").answer.outcome == "summary"
    assert ask(assistant, "t", "What happens in Berlin at night?").answer.outcome != "summary"


def test_a_summary_is_of_the_document_that_is_named_and_quotes_it(assistant: Assistant) -> None:
    turn = ask(assistant, "t", "Can you summarise metropolis.md for me?")
    (document,) = assistant.services.library.store.documents(["films/metropolis.md"])
    assert (turn.answer.outcome, turn.answer.form, turn.calls) == ("summary", "summary", ())
    assert {source.document for source in turn.answer.sources} == {document.id}
    quotes = [quote for claim in turn.answer.claims for quote in claim.quotes]
    assert quotes and all(document.text[quote.start : quote.end] == quote.text for quote in quotes)
    assert len(turn.answer.text.split()) <= 150


@pytest.mark.parametrize(
    ("told", "document"),
    [
        ("the story of the dog in space", "animals/laika.md"),
        ("how people tell the phases apart", "space/moon-phases.md"),
    ],
)
def test_what_no_title_names_is_summarised_by_what_it_tells_of(told: str, document: str, assistant: Assistant) -> None:
    turn = ask(assistant, "t", f"Summarise {told}")
    assert (turn.answer.outcome, {source.document for source in turn.answer.sources}) == ("summary", {document})
    assert ask(assistant, "t", "Summarise the rules of cricket").answer.outcome != "summary"


def test_what_was_spoken_of_is_summarised(assistant: Assistant) -> None:
    ask(assistant, "t", "In metropolis.md, who directed the film?")
    turn = ask(assistant, "t", "summarise this document")
    assert turn.answer.outcome == "summary" and turn.answer.sources[0].document == "films/metropolis.md"


def test_which_documents_mention_something_is_counted_over_all(assistant: Assistant) -> None:
    turn = ask(assistant, "t", "Which of these documents mention Fritz Lang?")
    store = assistant.services.library.store
    documents = store.documents([one.id for one in store.catalogue.documents])
    holding = {d.id for d in documents if "Fritz Lang" in f"{d.title} {d.text}"}
    assert turn.answer.claims[0].text.startswith(f"{len(holding)} of 35 documents mention")
    assert holding <= {source.document for source in turn.answer.sources} or len(holding) > 10
    assert (turn.answer.form, turn.answer.says) == ("list", "yes")
    none = ask(assistant, "t", "Is there anything about zeppelins?")
    assert (none.answer.outcome, none.answer.says, none.answer.missing) == ("nothing-found", "no", ("zeppelins",))


def test_a_question_is_limited_to_the_document_that_it_names(assistant: Assistant) -> None:
    turn = ask(assistant, "t", "According to metropolis.md, who directed it?")
    assert {passage.document for passage in turn.passages} == {"films/metropolis.md"}
    assert turn.answer.claims[0].text == "In \u201cMetropolis\u201d:" and not turn.answer.claims[0].cites


def test_a_refusal_names_the_document_that_alone_was_looked_in(assistant: Assistant) -> None:
    refused = ask(assistant, "t", "According to metropolis.md, who was Laika?").answer
    assert refused.refused and refused.text.startswith("\u201cMetropolis\u201d says nothing about Laika.")


def test_several_tools_search_together(assistant: Assistant) -> None:
    """Seed 001's answer draws on local and global search together."""
    turn = ask(assistant, "t", "Who directed Metropolis?", tool="local+communities")
    assert [call.tool for call in turn.calls][:2] == ["local", "communities"]
    tools = [passage.tool for passage in turn.passages]
    assert {"local", "communities"} <= set(tools)
    assert set(tools) == {"local", "communities"}  # who names tools has these alone
    assert len({passage.id for passage in turn.passages}) == len(turn.passages)
    assert "Fritz Lang directed Metropolis" in turn.answer.text
    with pytest.raises(BadInput, match="there is no tool 'oracle'"):
        ask(assistant, "t", "Who?", tool="local+oracle")


def test_what_a_tool_answers_leads_where_a_passage_says_it(tmp_path: Path, cache: Path) -> None:
    triples = '[["lokesh kanagaraj", "directed", "film"], ["film", "titled", "coolie"]]'
    (tmp_path / "triples.json").write_text(triples, "utf-8")
    settings = read_settings(library=tmp_path / "library", home=tmp_path / "data", cache=cache)
    list(index([tmp_path / "triples.json"], tmp_path / "library", load_encoder(MINILM, cache)))
    with Assistant.open(settings) as assistant:
        turn = ask(assistant, "t", "Who directed the film Coolie?", tool="clues")
    first = turn.answer.claims[0]
    assert (first.text, first.verdict) == ("Lokesh Kanagaraj.", "supported")
    assert turn.answer.sources[first.cites[0] - 1].text == "lokesh kanagaraj directed film."


def test_what_no_passage_says_leads_nothing() -> None:
    passage = Passage("a#0", "a", "A", "Fritz Lang directed Metropolis.", 1.0, "clues")
    written = Answer("nothing-found", (Claim("I found nothing."),))
    assert led_by(written, "Vienna", [passage]) is written
    assert led_by(written, "", [passage]) is written
    led = led_by(written, "Fritz Lang", [passage])
    assert (led.outcome, led.text, led.sources) == ("answered", "Fritz Lang. [1]", (passage,))


def test_a_tool_that_the_settings_name_is_used_all_the_same(examples_path: Path, cache: Path, tmp_path: Path) -> None:
    named = read_settings(library=examples_path, home=tmp_path / "data", cache=cache, tool="hybrid")
    assert read_settings(library=examples_path).tool == "auto"
    with Assistant.open(named) as assistant:
        assert ask(assistant, "t", "What is this collection about?").calls[0].tool == "hybrid"


LETTERS = {
    "a.txt": "Letter of 3 May 2024\n\nThe roof is mended.\n",
    "b.txt": "Letter of 9 June 2023\n\nThe roof leaks.\n",
    "c.txt": "Letter of 1 July 2024\n\nThe cellar is wet.\n",
    "d.md": "# Protokoll vom 4. Mai\n\nDie Heizung wurde repariert. Die Firma Brugger hat die Arbeiten ausgeführt.\n",
}


@pytest.fixture
def letters(cache: Path, tmp_path: Path) -> Iterator[Assistant]:
    (tmp_path / "letters").mkdir()
    for name, text in LETTERS.items():
        (tmp_path / "letters" / name).write_text(text, "utf-8")
    settings = read_settings(library=tmp_path / "library", home=tmp_path / "data", cache=cache)
    list(index([tmp_path / "letters"], tmp_path / "library", load_encoder(MINILM, cache)))
    with Assistant.open(settings) as assistant:
        yield assistant


@pytest.mark.parametrize(
    ("question", "first", "titles"),
    [
        ("How many documents are from 2024?", "2 of 4 documents are from 2024:", ["3 May 2024", "1 July 2024"]),
        ("Which letters are not from 2024?", "1 of 4 documents is not from 2024:", ["9 June 2023"]),
        ("Which letters do not mention the roof?", "\u201croof\u201d is not mentioned in 1 of 4", ["1 July 2024"]),
        ("How many letters are there?", "3 of 4 documents", ["3 May 2024", "9 June 2023", "1 July 2024"]),
        ("Welche Dokumente erwähnen die Heizung?", "\u201cHeizung\u201d steht in 1 von 4", ["Protokoll vom 4. Mai"]),
    ],
)
def test_documents_are_listed_by_time_by_kind_and_by_what_they_lack(
    letters: Assistant, question: str, first: str, titles: list[str]
) -> None:
    answer = ask(letters, "t", question).answer
    listed = [claim.text.strip("\u201c\u201d").removeprefix("Letter of ") for claim in answer.claims if claim.new_line]
    assert answer.text.startswith(first) and listed == titles


def test_documents_are_told_of_in_the_language_of_the_question(letters: Assistant) -> None:
    assert ask(letters, "t", "Worum geht es in diesen Dokumenten?").answer.text.startswith("Hier gibt es 4 Dokumente:")
    told = ask(letters, "t", "Fasse das Protokoll zusammen").answer
    assert told.outcome == "summary" and "Heizung" in told.text and "kurz:" in told.claims[0].text
    assert ask(letters, "t", "Gibt es etwas über Elefanten?").answer.missing == ("Elefanten",)
