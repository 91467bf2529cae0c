"""Answers without a language model: quoted, cited, in the user's words where they can be, honest where they cannot."""

from dataclasses import replace

import pytest

from clew.agent.answer.evidence import Evidence, Request
from clew.agent.answer.judge import nothing_indexed
from clew.agent.answer.quoted import placed, quote
from clew.agent.answer.selection import AnswerParameters
from clew.agent.search.rounds import ObserveParameters, enough, missing
from clew.agent.state import Answer, Claim, Quote
from clew.memory.datatypes import Document, Mark, Passage
from clew.memory.encoding import CachedEncoder
from tests.agent.conftest import Opened

MOON = Passage(
    "moon#0",
    "moon",
    "The Moon",
    "The Moon\nThe Moon is the only natural satellite of Earth. It is 384,400 kilometres away on average. "
    "Its light takes 1.3 seconds. Many poets wrote of it.",
    0.7,
    "hybrid",
    start=100,
)
LANG = Passage(
    "lang#0",
    "lang",
    "Fritz Lang",
    "Fritz Lang was born in Vienna in 1890. He directed Metropolis in 1927.",
    0.6,
    "hybrid",
)


def say(question: str, *passages: Passage, encoder: CachedEncoder) -> Answer:
    return quote(Request(question, question), passages, Evidence(tuple(passages), encoder), AnswerParameters())


def test_it_quotes_and_cites(encoder: CachedEncoder) -> None:
    said = say("Where was Fritz Lang born?", LANG, MOON, encoder=encoder)
    assert said.outcome == "answered"
    sentence = "Fritz Lang was born in Vienna in 1890."
    quotes = (Quote("lang", 0, len(sentence), sentence),)
    assert said.claims[0] == Claim(sentence, (1,), start=0, quotes=quotes)
    assert said.sources[0] == LANG
    assert said.text.startswith("Fritz Lang was born in Vienna in 1890. [1]")


def test_a_documents_own_numbers_do_not_pass_for_citations(encoder: CachedEncoder) -> None:
    text = "The code of the Foxglove hotel is 8842. [1] [2] It was changed [3, 4] in May."
    said = say("What is the code of the Foxglove hotel?", Passage("h", "h", "", text, 0.6, "hybrid"), encoder=encoder)
    assert said.text.startswith("The code of the Foxglove hotel is 8842. [1]")
    assert "[2]" not in said.text and "[3" not in said.text


def test_a_source_shows_the_place_of_the_sentence_that_is_quoted(encoder: CachedEncoder) -> None:
    text = "Early life\nFritz Lang was born in Vienna in 1890.\nLater life\nHe died in California in 1976."
    marks = (Mark(0, "Early life"), Mark(text.index("Later"), "Later life"))
    document = Document("lang", "Fritz Lang", text, pages=(Mark(0, "1"), Mark(60, "2")), headings=marks)
    passage = replace(LANG, text=text, heading="Early life", page="1", start=0, end=len(text))
    said = say("Where did Fritz Lang die, in California?", passage, encoder=encoder)
    assert said.claims[-1].text == "He died in California in 1976."
    only = replace(said, claims=said.claims[-1:])
    [source] = placed(only, {"lang": document}).sources
    assert (source.heading, source.page) == ("Later life", "2")
    [source] = placed(replace(said, claims=(Claim("Not quoted.", (1,)),)), {"lang": document}).sources
    assert (source.heading, source.page) == ("Early life", "1")


def test_three_kinds_of_nothing_sound_different(encoder: CachedEncoder) -> None:
    texts = {
        nothing_indexed().text,
        say("How do I bake bread at home?", MOON, encoder=encoder).text,
        say("How do I bake bread at home?", encoder=encoder).text,
    }
    assert len(texts) == 3


def test_what_is_missing_and_what_is_enough() -> None:
    assert missing("Where was Fritz Lang born?", [LANG]) == ()
    assert missing("Did Lang know Kubrick's films?", [LANG]) == ("Kubrick", "films")
    hall = replace(LANG, text="E-scooters stay in the hall, for two years by now.")
    assert missing("Did Lang leave a scooter in the hall for a two-year term?", [hall]) == ("leave", "term")
    assert enough("Where was Fritz Lang born?", [LANG], ObserveParameters())
    assert not enough("Did Lang know Kubrick's films?", [LANG], ObserveParameters())


BOATS = {
    "heron": "The deposit for the Heron is 80 crowns. The paddles of the Heron are of ash.",
    "otter": "The deposit for the Otter is 120 crowns. The paddles of the Otter are of beech.",
}


@pytest.mark.parametrize(("boat", "wood"), [("heron", "ash"), ("otter", "beech")])
def test_a_question_that_leans_is_answered_from_the_document_that_was_spoken_of(
    boat: str, wood: str, encoder: CachedEncoder
) -> None:
    passages = [Passage(f"{name}#0", name, name.title(), text, 0.6, "hybrid") for name, text in BOATS.items()]
    documents = [Document(name, name.title(), text) for name, text in BOATS.items()]
    evidence = Evidence(tuple(passages), encoder, {one.id: one for one in documents})
    told = (BOATS[boat].partition(". ")[0] + ".",)
    question = "What are the paddles made of?"
    said = quote(Request(question, question, continued=told), passages, evidence, AnswerParameters())
    assert wood in said.text and [source.document for source in said.sources] == [boat]


def test_what_stands_under_two_headings_is_cited_under_each(opened: Opened) -> None:
    lease = "# Lease\n\n## 6. Landlord\n\nThe landlord gives 24 hours notice before a visit.\n\n"
    lease += "## 7. Ending\n\nThe tenant gives one month's notice in writing.\n"
    answer = opened({"lease.md": lease})("How much notice must be given?")
    cited = {claim.text: answer.sources[claim.cites[0] - 1].heading for claim in answer.claims}
    assert cited["The landlord gives 24 hours notice before a visit."].endswith("6. Landlord")
    assert cited["The tenant gives one month's notice in writing."].endswith("7. Ending")
