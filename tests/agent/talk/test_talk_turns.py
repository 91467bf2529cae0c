"""Talk in whole turns: nothing is searched, and what is said of an answer is quoted."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.state import Answer, Turn
from clew.agent.talk.lines import in_language
from clew.memory.encoding import CachedEncoder
from clew.tools.hybrid import Hybrid
from tests.agent.conftest import Opened, over, turn_of

Ask = Callable[[str], Turn]


@pytest.fixture
def ask(assistant: Assistant) -> Ask:
    """Of the examples, on one thread."""
    return lambda question: turn_of(assistant, "t", question)


STEPS = ["To install Tarn, follow these steps:", "1. Download the archive.", "2. Unpack it into /opt/tarn.",
         "3. Restart the machine."]  # fmt: skip
DOCUMENTS = {
    "tarn.md": "# Tarn\n\n## Installing\n\n{}\n\n{}\n\n## Pruning\n\nOld snapshots are removed by a command. It keeps "
    "the last ten of them. It runs each night at three.\n".format(STEPS[0], "\n".join(STEPS[1:])),
    "glass.txt": "Elsbeth Marrow was a glassblower from Tintern. She was born in 1871 and died in 1949. She invented "
    "the twisted stem in 1902.\n",
}


@pytest.fixture
def ask_of(cache: Path, tmp_path: Path, encoder: CachedEncoder) -> Iterator[Ask]:
    """Of `DOCUMENTS`, on one thread."""
    with over(DOCUMENTS, tmp_path, cache, encoder) as assistant:
        yield lambda question: turn_of(assistant, "t", question)


def quoted(turn: Turn) -> list[str]:
    return [claim.text for claim in turn.answer.claims if claim.cites]


def test_small_talk_needs_no_search_and_offers_questions(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hybrid, "matches", None)  # a search would raise
    said = ask("hello, how can you help me?")
    assert (said.answer.outcome, said.calls, said.answer.sources, said.wordings) == ("small-talk", (), (), ())
    assert [step.node for step in said.steps] == ["talk", "verify"]
    examples = [claim.text.removeprefix("- ") for claim in said.answer.claims if claim.text.startswith("- ")]
    assert 1 <= len(examples) <= 3 and all(example.endswith("?") for example in examples)
    assert ask("Danke schön!").answer.text == "Gern geschehen."
    assert ask("ĝis revido").answer.text.startswith("Ĝis revido.")


def test_what_was_asked_is_told_and_talk_is_no_question(ask: Ask) -> None:
    assert "asked nothing" in ask("what did I ask first?").answer.text
    ask("hi")
    ask("Who directed Metropolis?")
    ask("thanks. How far is the Moon from the Earth?")
    first, second = "Who directed Metropolis?", "How far is the Moon from the Earth?"
    for asked in ("what have I asked you so far?", "what did I ask first?", "Was war meine letzte Frage?"):
        assert [claim.text for claim in ask(asked).answer.claims[1:]] == [f"- {first}", f"- {second}"]


def test_talk_about_an_answer_quotes_its_passages(ask: Ask) -> None:
    assert "no answer yet" in ask("shorter please").answer.text
    first = ask("Who was Laika?")
    read = " ".join(" ".join(passage.text.split()) for passage in first.passages)
    again = ask("could you repeat that?")
    assert again.answer == replace(first.answer, form="talk") and not again.calls
    assert {*quoted(ask("shorter, please"))} <= {*quoted(first)}
    more = ask("tell me more")
    assert more.answer.outcome == "answered" and not {*quoted(first)} & {*quoted(more)}
    assert all(text in read for text in quoted(more))
    for question in ("where does it say that?", "are you sure?", "in other words?"):
        turn = ask(question)
        assert turn.answer.outcome == "answered" and not turn.calls and turn.answer.sources
        assert quoted(turn) and all(claim.verdict == "supported" for claim in turn.answer.claims if claim.cites)
        assert "It stands in" in turn.answer.text
    assert ask("that's wrong").answer.text.startswith("What is wrong with it?")


@pytest.mark.parametrize("said", ["Make it shorter!", "in other words"])
def test_a_list_is_said_again_whole(ask_of: Ask, said: str) -> None:
    assert quoted(ask_of("What are the steps to install Tarn?")) == STEPS
    assert quoted(ask_of(said)) == STEPS


def test_more_cuts_no_item_out_of_a_list_and_is_exact(ask_of: Ask) -> None:
    ask_of("How are old snapshots removed?")
    turn = ask_of("Tell me a bit more")
    assert quoted(turn) and set(STEPS[1:]).isdisjoint(quoted(turn))
    for claim in turn.answer.claims:
        for quote in claim.quotes:
            assert quote.text in turn.answer.sources[claim.cites[0] - 1].text and claim.verdict == "supported"


def test_what_is_shorter_still_holds_the_answer(ask_of: Ask) -> None:
    for question, holds in {"When was Elsbeth Marrow born?": "1871", "Who invented the twisted stem?": "1902"}.items():
        ask_of(question)
        assert holds in ask_of("shorter").answer.text


def test_a_follow_up_leans_on_the_question_that_was_talked_about(ask: Ask) -> None:
    ask("Who directed Metropolis?")
    ask("shorter")
    assert "Metropolis" in ask("and who wrote it?").rewritten


def test_of_two_questions_each_is_searched_and_refused_by_itself(ask: Ask) -> None:
    both = ask("Who directed Metropolis and how far is the Moon from the Earth?")
    assert both.answer.outcome == "answered" and len(both.calls) >= 2
    assert "Lang" in both.answer.text and "384" in both.answer.text
    half = ask("How far is the Moon from the Earth? And what is the price of a ticket to the opera in Sydney?")
    assert half.answer.outcome == "partial" and "384" in half.answer.text
    refusal = half.answer.claims[-1]
    assert refusal.text.startswith("And what is the price") and not refusal.cites and refusal.new_line
    lean = ask("Who was Laika, and when did she fly?")
    assert "Laika" in lean.rewritten.split("?")[1]


REFUSED = {
    "couldn't somebody quickly recommend a dentist in Reykjavik?": ("Reykjavik",),
    "C'est combien le loyer à Paris ?": ("loyer",),
    "Was kostet die Miete in Berlin?": ("Miete",),
}


@pytest.mark.parametrize(("question", "missing"), REFUSED.items())
def test_a_refusal_names_what_is_missing_and_nothing_else(ask: Ask, question: str, missing: tuple[str, ...]) -> None:
    answer = ask(question).answer
    small = {"Find", "documents", "Good", "list", "C'est", "combien", "Was", "kostet"}
    assert answer.refused and not answer.offered and {*missing} <= {*answer.missing} and not small & {*answer.missing}


REFUGE = (
    "# Le refuge\n\nLe refuge a été bâti en 1931 par Alice Morel. Elle y vécut jusqu'en 1960.\n\n## Tarifs\n\nLa nuit "
    "coûte 24 euros. Les chiens ne sont pas admis.\n"
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [("Où est servi le petit-déjeuner ?", "petit-déjeuner"), ("Où est l'ascenseur ?", "ascenseur")],
)
def test_a_word_that_no_passage_holds_is_missing(question: str, missing: str, opened: Opened) -> None:
    """In a library of that language."""
    answer = opened({"refuge.md": REFUGE})(question)
    assert answer.missing[-1] == missing and missing in answer.text


def test_a_name_with_another_letter_is_asked_back_and_a_yes_asks_it(ask: Ask) -> None:
    refused = ask("Who directed Matropolis?").answer
    assert (refused.outcome, refused.missing) == ("nothing-found", ("Matropolis",))
    assert refused.text.endswith("Did you mean: Who directed Metropolis?")
    answer = ask("yes please").answer
    assert answer.outcome == "answered" and "Fritz Lang" in answer.text and not answer.offered
    assert ask("ok").answer.outcome == "small-talk"


def test_a_refusal_in_another_language_names_whole_words() -> None:
    question = "Qui est le gardien de la patinoire ?"
    refused = in_language(Answer("nothing-found", ()), Turn("t", 1, question, rewritten=question), "fr")
    assert "rien sur gardien ou patinoire," in refused.text
    question = "Was sagen die Dokumente zur Eisbahn?"
    refused = in_language(Answer("nothing-found", ()), Turn("t", 1, question, rewritten=question), "en")
    assert "nichts über Dokumente" not in refused.text
