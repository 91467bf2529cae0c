"""Answers without a language model: quoted, cited, in the user's words where they can be, honest where they cannot."""

from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.answer.evidence import evidence_of
from clew.agent.answer.quotation import placed, quote
from clew.agent.answer.refusal import nothing, nothing_indexed, shown
from clew.agent.answer.verification import verdict, verified
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.agent.search.rounds import ObserveParameters, enough, missing
from clew.agent.state import TURN_JSON, Answer, BoldSpan, Call, Claim, Quote, Turn
from clew.memory.datatypes import Document, Mark, Passage, Wording
from clew.memory.encoding import CachedEncoder

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
    return quote(Wanted(question, question), passages, evidence_of(passages, encoder), AnswerParameters())


def test_it_quotes_and_cites(encoder: CachedEncoder) -> None:
    said = say("Where was Fritz Lang born?", LANG, MOON, encoder=encoder)
    assert said.outcome == "answered"
    sentence = "Fritz Lang was born in Vienna in 1890."
    quotes, vienna = (Quote("lang", 0, len(sentence), sentence),), BoldSpan(23, 29)
    assert said.claims[0] == Claim(sentence, (1,), start=0, quotes=quotes, span=vienna)
    assert said.sources[0] == LANG
    assert said.text.startswith("Fritz Lang was born in Vienna in 1890. [1]")


def test_every_sentence_is_the_documents_own(encoder: CachedEncoder) -> None:
    said = say("How far away is the Moon?", MOON, LANG, encoder=encoder)
    assert "It is 384,400 kilometres away on average." in [claim.text for claim in said.claims]
    assert all(claim.text in f"{MOON.text} {LANG.text}" for claim in said.claims)
    assert all(claim.verdict == "supported" for claim in verified(said).claims)


def test_a_pronoun_is_never_given_a_name_by_guess(encoder: CachedEncoder) -> None:
    text = "Konrad Meyer married the singer Anna Blum in 1925. She was arrested for theft in Vienna in 1931."
    said = say("Who was arrested for theft?", Passage("m", "m", "Konrad Meyer", text, 0.6, "hybrid"), encoder=encoder)
    assert said.plain == text


def test_a_documents_own_numbers_do_not_pass_for_citations(encoder: CachedEncoder) -> None:
    text = "The code of the Foxglove hotel is 8842. [1] [2] It was changed [3, 4] in May."
    said = say("What is the code of the Foxglove hotel?", Passage("h", "h", "", text, 0.6, "hybrid"), encoder=encoder)
    assert said.text.startswith("The code of the Foxglove hotel is 8842. [1]")
    assert "[2]" not in said.text and "[3" not in said.text


def test_a_pronoun_without_its_name_takes_the_sentence_before_along(encoder: CachedEncoder) -> None:
    other = Passage("x", "x", "Notes", "Fritz Lang was born in Vienna. He directed Metropolis in 1927.", 0.6, "hybrid")
    said = say("Who directed Metropolis in 1927?", other, encoder=encoder)
    assert said.plain == "Fritz Lang was born in Vienna. He directed Metropolis in 1927."


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


def test_it_refuses_what_is_not_there_and_names_the_nearest(encoder: CachedEncoder) -> None:
    said = say("How do I reset the password of my router?", MOON, LANG, encoder=encoder)
    assert said.outcome == "nothing-found" and said.refused
    assert said.nearest == ("The Moon", "Fritz Lang")
    assert "The Moon" in said.text and not said.sources
    assert say("Who played James Bond in Skyfall?", MOON, encoder=encoder).missing == ("James Bond", "Skyfall")


def test_it_says_which_part_is_missing(encoder: CachedEncoder) -> None:
    said = say("Did Fritz Lang meet Kubrick in Vienna?", LANG, encoder=encoder)
    assert (said.outcome, said.missing) == ("partial", ("Kubrick",))
    assert "say nothing about Kubrick" in said.claims[-1].text and not said.claims[-1].cites
    assert not said.refused


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Who was the wife of Einstein?",
        "thanks!",
        "2+2?",
        "How do I cook rice?",
    ],
)
def test_what_is_only_near_is_refused(question: str, encoder: CachedEncoder) -> None:
    assert say(question, LANG, MOON, encoder=encoder).refused


def test_of_several_questions_each_is_answered_or_named(encoder: CachedEncoder) -> None:
    both = say("Where was Fritz Lang born, and how far away is the Moon?", MOON, LANG, encoder=encoder)
    assert both.outcome == "answered"
    assert "Vienna" in both.text and "384,400" in both.text
    half = say("Where was Fritz Lang born, and who painted the Mona Lisa?", MOON, LANG, encoder=encoder)
    assert (half.outcome, half.missing) == ("partial", ("Mona Lisa",))
    other = say("Where was Fritz Lang born, and how does a bicycle work?", MOON, LANG, encoder=encoder)
    assert (other.outcome, other.missing) == ("partial", ("bicycle", "work"))


def test_three_kinds_of_nothing_sound_different(encoder: CachedEncoder) -> None:
    texts = {
        nothing_indexed().text,
        say("How do I bake bread at home?", MOON, encoder=encoder).text,
        say("How do I bake bread at home?", encoder=encoder).text,
    }
    assert len(texts) == 3


def test_earlier_turns_do_not_answer_again(encoder: CachedEncoder) -> None:
    whole = "How far away is the Moon? And how long does its light take?"
    wanted = Wanted("and how long does its light take?", whole, with_history=True)
    said = quote(wanted, [MOON], evidence_of([MOON], encoder), AnswerParameters())
    assert "1.3 seconds" in said.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fritz Lang was born in Vienna in 1890.", "supported"),
        ("fritz lang WAS born in vienna, in 1890!", "supported"),
        ("In Vienna, Fritz Lang was born, in the year 1890.", "supported"),
        ("Fritz Lang was born in Vienna in 1891.", "unsupported"),
        ("Fritz Lang was born in Berlin in 1890.", "unsupported"),
        ("Fritz Lang was born in Vienna and liked sailing boats.", "weak"),
        ("The Moon is the only natural satellite of Earth.", "unsupported"),
        ("Bananas grow quickly on sunny islands.", "unsupported"),
    ],
)
def test_verdicts(text: str, expected: str) -> None:
    assert verdict(Claim(text, (1,)), [LANG]) == expected


def test_what_is_spread_over_a_passage_is_weak() -> None:
    between = " ".join(f"The dock {place} was painted in grey." for place in ("north", "south", "east", "west"))
    text = f"The ferry Aurora was built in 1911. {between} The crane of the harbour was sold to Norway for a low price."
    passage = Passage("h", "h", "Harbour", text, 0.6, "hybrid")
    assert verdict(Claim("In 1911 the ferry Aurora was built.", (1,)), [passage]) == "supported"
    assert verdict(Claim("The low price of the crane of the harbour: sold to Norway.", (1,)), [passage]) == "supported"
    spread = "The north, south, east, west dock, the ferry Aurora built 1911, and the crane sold for a low price."
    assert verdict(Claim(spread, (1,)), [passage]) == "weak"


def test_a_swapped_citation_is_seen_and_an_uncited_sentence_is_named() -> None:
    assert verdict(Claim("Fritz Lang was born in Vienna in 1890.", (1,)), [MOON, LANG]) == "unsupported"
    assert verdict(Claim("Fritz Lang was born in Vienna in 1890.", (2,)), [MOON, LANG]) == "supported"
    assert verdict(Claim("I found nothing."), [MOON]) == "uncited"


def test_what_is_missing_and_what_is_enough() -> None:
    assert missing("Where was Fritz Lang born?", [LANG]) == ()
    assert missing("Did Lang know Kubrick's films?", [LANG]) == ("Kubrick", "films")
    hall = replace(LANG, text="E-scooters stay in the hall, for two years by now.")
    assert missing("Did Lang leave a scooter in the hall for a two-year term?", [hall]) == ("leave", "term")
    assert enough("Where was Fritz Lang born?", [LANG], ObserveParameters())
    assert not enough("Did Lang know Kubrick's films?", [LANG], ObserveParameters())


def test_a_turn_survives_its_json(encoder: CachedEncoder, tmp_path: Path) -> None:
    said = verified(say("Where was Fritz Lang born?", LANG, encoder=encoder))
    call = Call("hybrid", (Wording("question", "q", 1.0),), 1, 2.5)
    turn = Turn("t", 1, "q", "Q?", said, wordings=call.wordings, calls=(call,), passages=(LANG,), library="f")
    assert TURN_JSON.validate_json(TURN_JSON.dump_json(turn)) == turn


def test_an_amount_that_is_measured_has_to_be_said(encoder: CachedEncoder) -> None:
    built = Passage(
        "m#0", "m", "The mill", "The tower of the mill was built by Ann Lee. It leans a little.", 0.7, "hybrid"
    )
    high = Passage("m#0", "m", "The mill", "The tower of the mill is by Ann Lee. It is 30 metres high.", 0.7, "hybrid")
    assert say("How tall is the tower of the mill?", built, encoder=encoder).refused
    assert "30 metres" in say("How tall is the tower of the mill?", high, encoder=encoder).text


def test_a_name_has_to_look_like_one(encoder: CachedEncoder) -> None:
    poor = Passage("s#0", "s", "The Mill", "There was once a poor miller who worked all day.", 0.7, "hybrid")
    named = replace(poor, text="There was once a poor miller whom people called Hob.")
    assert say("What was the poor miller's name?", poor, encoder=encoder).refused
    assert "Hob" in say("What was the poor miller's name?", named, encoder=encoder).text


def test_what_has_no_date_tells_not_when(encoder: CachedEncoder) -> None:
    text = "1.7. Who founded the bakery?\n\nAda and Ole founded the bakery.\n\nThe bakery was begun by Ada in 1993."
    bakery = Passage("b#0", "b", "The bakery", text, 0.7, "hybrid", start=0, end=len(text))
    assert say("When was the bakery founded?", bakery, encoder=encoder).plain == "The bakery was begun by Ada in 1993."


def test_what_came_out_in_the_end_is_the_final_sum(encoder: CachedEncoder) -> None:
    table = "firm | cost of the loft\nTop | 48,500\nOsei | 41,200"
    text = f"{table}\n\nFinal bill 44,950: all of it with the scaffold."
    loft = Passage("l#0", "l", "Loft", text, 0.7, "hybrid", start=0, end=len(text))
    assert "44,950" in say("What did the loft cost in the end?", loft, encoder=encoder).text
    assert "44,950" not in say("What would Top have cost for the loft?", loft, encoder=encoder).text


def test_yes_is_said_once(encoder: CachedEncoder) -> None:
    text = "Can I update the clock by itself?\n\nYes. You can update the clock with a job at night."
    faq = Passage("f#0", "f", "FAQ", text, 0.7, "hybrid", start=0, end=len(text))
    said = say("Can I update the clock by itself?", faq, encoder=encoder)
    assert said.says == "yes" and said.plain.count("Yes") <= 1


def test_the_version_that_is_asked_about_answers(encoder: CachedEncoder) -> None:
    lines = "Pear 1.1 (June 1996): this was the first Pear release with a code name. \n\nPear 3.0 Comice (July 2002)."
    said = say(
        "What was the code name of Pear 3.0?", Passage("p#0", "p", "Pear", lines, 0.7, "hybrid"), encoder=encoder
    )
    assert "Comice" in said.text and "1996" not in said.text


def test_the_mark_that_is_asked_about_answers(encoder: CachedEncoder) -> None:
    lines = (
        "- The Wall, a book of January, 9/10\n- Stoner, May - 10/10, cried on the train\n- Emma, a book of June, 9/10"
    )
    said = say("What books did I give 10/10?", Passage("b#0", "b", "Books", lines, 0.7, "hybrid"), encoder=encoder)
    assert "Stoner" in said.text and "Wall" not in said.text


def test_the_reply_to_a_question_of_the_document_is_no_reply_to_another(encoder: CachedEncoder) -> None:
    text = "No. The unused disk space is kept in a list and is used again for the next rows."
    faq = Passage("faq#0", "faq", "FAQ", text, 0.7, "hybrid")
    (claim, *_) = say("Where is unused disk space kept?", faq, encoder=encoder).claims
    assert claim.text.startswith("The unused disk space") and claim.start == 4
    assert claim.quotes == (Quote("faq", 4, len(text), text[4:]),)
    assert claim.span is None or claim.text[claim.span.start : claim.span.end] in text


def test_why_is_told_with_the_sentence_behind(encoder: CachedEncoder) -> None:
    text = "In 1888 the Academy refused her. The statutes spoke of learned men. She painted on."
    academy = Passage("a#0", "a", "Henrike", text, 0.7, "hybrid")
    assert "learned men" in say("Why did the Academy refuse her?", academy, encoder=encoder).text
    assert "learned men" not in say("When did the Academy refuse her?", academy, encoder=encoder).text
    reason = replace(academy, text="She left because the Academy refused her. She painted on.")
    assert "painted" not in say("Why did she leave?", reason, encoder=encoder).text


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What do the notices on the door forbid?", ("notices", "door")),
        ("How wide is the gate?", ("gate",)),
        ("What is the password of the gate?", ("password", "gate")),
        ("What the heck is a ratchet?", ("ratchet",)),
        ("Who has the stuff for the gate that I've seen?", ("gate",)),
    ],
)
def test_a_refusal_names_no_verb_and_no_adjective(question: str, named: tuple[str, ...]) -> None:
    assert nothing(question, ()).missing == named


def test_what_is_said_in_the_place_of_a_value_is_told(encoder: CachedEncoder) -> None:
    counted = "We counted the stock.\n\n- wool: 2,140 skeins\n- ribbon: 300 rolls"
    text = f"{counted}\n\nCorrection, 5 May: wool is 2,410, not 2,140."
    stock = Passage("s#0", "s", "Stock", text, 0.7, "hybrid", start=0, end=len(text))
    assert "2,410" in say("How many skeins of wool are there?", stock, encoder=encoder).text
    assert "2,410" not in say("How many rolls of ribbon are there?", stock, encoder=encoder).text


def test_what_is_told_of_another_name_is_no_answer(encoder: CachedEncoder) -> None:
    lights = [
        Passage(f"{n}#0", str(n), "", text := f"The lighthouse of {name} was built in {year}.", 0.7, "hybrid", start=0,
                end=len(text))
        for n, (name, year) in enumerate([("Filzurnes", 1848), ("Fulrennon", 1559), ("Filrilsen", 1208)])
    ]  # fmt: skip
    said = "The lighthouse of Lusmonnis was built in 1208."
    wanted = Wanted(question := "When was the lighthouse of Filrilsen built?", question, said=(said,))
    answer = quote(wanted, lights, evidence_of(lights, encoder), AnswerParameters())
    assert [claim.text for claim in answer.claims] == ["The lighthouse of Filrilsen was built in 1208."]


def test_what_was_chosen_in_the_end_is_told(encoder: CachedEncoder) -> None:
    text = (
        "I reckon with 14,000 in all for the place in the Mill Lane.\n\nTwo places were looked at. The place in the "
        "Mill Lane is wet. In the end we went for the place in the Arcade."
    )
    place = Passage("p#0", "p", "Notes", text, 0.7, "hybrid", start=0, end=len(text))
    assert "the Arcade" in say("Which place did we go for in the end?", place, encoder=encoder).claims[0].text


def test_an_item_that_begins_with_what_is_asked_defines_it(encoder: CachedEncoder) -> None:
    text = (
        "Points are told apart as core points, border points and noise points by how dense it is around them, and core "
        "points are the most.\n\nA point of the plane is called\n\n- a core point if it has five others near it\n"
        "- a border point if it is beside one of those\n- a noise point, otherwise\n\nNoise points are left out."
    )
    points = Passage("p#0", "p", "Points", text, 0.7, "hybrid", start=0, end=len(text))
    assert "five others" in say("What is a core point?", points, encoder=encoder).claims[-1].text


def test_sentences_of_a_row_are_told_whole(encoder: CachedEncoder) -> None:
    text = (
        "In Marl lived a tailor with debts. He owed twelve crowns to the miller. He owed thirty to his brother. And he "
        "owed a hundred to the widow Marchbanks. In May he ran away."
    )
    tailor = Passage("t#0", "t", "The tailor", text, 0.7, "hybrid", start=0, end=len(text))
    assert "Marchbanks" in say("To whom did the tailor owe crowns?", tailor, encoder=encoder).text


@pytest.mark.parametrize("heading", ["AUTHORS", "1.4 Q04 Who writes Postbird?"])
def test_who_made_it_is_told_below_its_heading(encoder: CachedEncoder, heading: str) -> None:
    text = (
        "Postbird is a mail program that many have translated.\n\nTranslations\n\nSome were made in France, and by "
        f"whom is not known.\n\n{heading}\n\nMio Hara (mio@example.org)\n\nLicence\n\nIt is free."
    )
    marks = tuple(Mark(text.index(head), head) for head in ("Translations", heading, "Licence"))
    page = Passage("p#0", "p", "Postbird FAQ", text, 0.7, "hybrid", start=0, end=len(text))
    document = Document("p", "Postbird FAQ", text, headings=marks)
    evidence = evidence_of([page], encoder, [document])
    wanted = Wanted("Who made Postbird?", "Who made Postbird?")
    assert quote(wanted, [page], evidence, AnswerParameters()).text.count("Mio Hara") == 1


def test_of_a_long_item_the_sentence_that_answers_is_told(encoder: CachedEncoder) -> None:
    lease = "1. Lease. Signed on 27 February, for five years, with a break after three."
    keys = "Mrs Okafor of Arcade Estates was friendly and let us have the keys from 1 April without rent."
    text = f"{lease} {keys}\n2. Name. The club stays the Skein Club, says the vote of all members but two."
    minutes = Passage("m#0", "m", "Minutes", text, 0.7, "hybrid", start=0, end=len(text))
    told = say("When was the lease signed?", minutes, encoder=encoder).text
    assert "27 February" in told and "Okafor" not in told
    told = say("Who let us have the keys?", minutes, encoder=encoder).text
    assert "Okafor" in told and "27 February" not in told


@pytest.mark.parametrize(
    ("question", "missing", "named"),
    [
        ("How much does parking cost per year?", ("parking", "year"), ("parking",)),
        ("How much per year?", ("year",), ()),
        ("Which is the nicest month for boating trips?", ("nicest", "month", "trips"), ("trips",)),
        ("What colour is the roof painted?", ("colour", "roof"), ("roof",)),
        ("Quanto costa il biglietto del treno?", ("costa", "biglietto", "treno"), ("biglietto", "treno")),
        ("Quel est le prix du pain ?", ("Quel", "prix", "pain"), ("pain",)),
        ("Wie weit ist der Mond entfernt?", ("weit", "Mond", "entfernt"), ("Mond",)),
        ("Kiom kostas la trajno?", ("kostas", "trajno"), ("trajno",)),
    ],
)
def test_a_refusal_names_what_people_would(question: str, missing: tuple[str, ...], named: tuple[str, ...]) -> None:
    assert shown(missing, question) == named
