"""Talk in whole turns, over the examples: nothing is searched, and what is said of an answer is quoted."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.index.run import index

Ask = Callable[[str], Turn]


@pytest.fixture
def ask(examples_path: Path, cache: Path, tmp_path: Path) -> Iterator[Ask]:
    """On one thread."""
    with Assistant.open(read_settings(library=examples_path, home=tmp_path / "data", cache=cache)) as assistant:

        def asked(question: str) -> Turn:
            *_, turn = assistant.ask("t", question)
            assert isinstance(turn, Turn)
            return turn

        yield asked


def test_the_film_that_was_spoken_of_is_summed_up_and_what_is_asked_next_is_another_matter(ask: Ask) -> None:
    ask("who directed metropolis?")
    summary = ask("sum up the film in short").answer
    assert summary.outcome == "summary" and summary.claims[0].text.startswith("\u201cMetropolis\u201d")
    assert ask("my next meeting?").rewritten.casefold().startswith("my next meeting?")


DOCUMENTS = {
    "tarn.md": "# Tarn\n\n## Installing\n\nTo install Tarn, follow these steps:\n\n1. Download the archive.\n"
    "2. Unpack it into /opt/tarn.\n3. Restart the machine.\n\n## Pruning\n\nOld snapshots are removed by a command.\n",
    "glass.txt": "Elsbeth Marrow was a glassblower from Tintern. She was born in 1871 and died in 1949. She invented "
    "the twisted stem in 1902.\n",
    "hire.md": "# Hire terms\n\n1. *Fuel.* Out full, back full.\n2. *Waiver.* It is 12 % of the hire price. It covers "
    "accidental damage above 75 pounds. It does not cover theft from an open van, tyres or overloading.\n",
}


@pytest.fixture
def ask_of(cache: Path, tmp_path: Path) -> Iterator[Ask]:
    """Of `DOCUMENTS`, on one thread."""
    (tmp_path / "documents").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "documents" / name).write_text(text, "utf-8")
    list(index([tmp_path / "documents"], tmp_path / "library", load_encoder(MINILM, cache)))
    settings = read_settings(library=tmp_path / "library", home=tmp_path / "data", cache=cache)
    with Assistant.open(settings) as assistant:

        def asked(question: str) -> Turn:
            *_, turn = assistant.ask("t", question)
            assert isinstance(turn, Turn)
            return turn

        yield asked


STEPS = ["To install Tarn, follow these steps:", "1. Download the archive.", "2. Unpack it into /opt/tarn.",
         "3. Restart the machine."]  # fmt: skip


@pytest.mark.parametrize("said", ["Make it shorter!", "in other words"])
def test_a_list_is_said_again_whole_and_without_its_heading(ask_of: Ask, said: str) -> None:
    assert [claim.text for claim in ask_of("What are the steps to install Tarn?").answer.claims] == STEPS
    assert [claim.text for claim in ask_of(said).answer.claims if claim.cites] == STEPS


def test_more_cuts_no_item_out_of_a_list(ask_of: Ask) -> None:
    ask_of("How are old snapshots removed?")
    more = [claim.text for claim in ask_of("Tell me a bit more").answer.claims if claim.cites]
    assert not more or set(STEPS) <= set(more) or set(STEPS).isdisjoint(more)


def test_what_is_shorter_still_holds_the_answer(ask_of: Ask) -> None:
    ask_of("When was Elsbeth Marrow born?")
    assert "1871" in ask_of("shorter").answer.text


def test_who_a_pronoun_means_is_not_all_that_is_shorter(ask_of: Ask) -> None:
    ask_of("Who invented the twisted stem?")
    shorter = ask_of("shorter").answer
    assert "Elsbeth Marrow" in shorter.text and "twisted stem" in shorter.text
    ask_of("Who invented the twisted stem?")
    assert "twisted stem" in next(claim.text for claim in ask_of("are you sure?").answer.claims if claim.cites)


def test_what_stands_in_quotation_marks_is_met(ask_of: Ask) -> None:
    answer = ask_of('Where does it say "Out full, back full"?').answer
    assert answer.outcome == "answered" and "Out full, back full." in answer.text and len(answer.claims) == 1


@pytest.mark.parametrize(
    ("question", "slip"), [("Wann flog Apollo 11 zum Mond?", "flag"), ("Wann starb Laika?", "star")]
)
def test_no_word_of_another_language_is_a_slip(ask: Ask, question: str, slip: str) -> None:
    turn = ask(question)
    assert slip not in " ".join(wording.text for wording in turn.wordings).split()


def test_what_is_shorter_is_no_label(ask_of: Ask) -> None:
    assert "Waiver." in ask_of("What does the waiver cover?").answer.text
    assert "cover" in ask_of("shorter").answer.text


def test_small_talk_is_answered_without_a_search_and_offers_what_the_library_answers(ask: Ask) -> None:
    said = ask("hello, how can you help me?")
    assert (said.answer.outcome, said.calls, said.answer.sources, said.wordings) == ("small-talk", (), (), ())
    assert [step.node for step in said.steps] == ["talk", "verify"]
    examples = [claim.text.removeprefix("- ") for claim in said.answer.claims if claim.text.startswith("- ")]
    assert 1 <= len(examples) <= 3
    for question in examples:
        assert ask(question).answer.outcome == "answered", question
    assert ask("Danke schön!").answer.text == "Gern geschehen."
    assert ask("ĝis revido").answer.text.startswith("Ĝis revido.")


def test_what_was_asked_is_told_and_talk_is_no_question(ask: Ask) -> None:
    assert "asked nothing" in ask("what did I ask first?").answer.text
    ask("hi")
    ask("Who directed Metropolis?")
    ask("thanks. How far is the Moon from the Earth?")
    assert ask("what did I ask first?").answer.text.endswith("Who directed Metropolis?")
    assert ask("Was war meine letzte Frage?").answer.text.endswith("How far is the Moon from the Earth?")
    said = ask("what have I asked you so far?").answer
    assert [claim.text for claim in said.claims[1:]] == [
        "- Who directed Metropolis?",
        "- How far is the Moon from the Earth?",
    ]
    assert ask("which subjects have I asked you about?").answer == said
    second = "Your question 2 was: How far is the Moon from the Earth?"
    assert ask("what was the second thing I asked you?").answer.text == second
    assert ask("Wie war meine zweite Frage?").answer.text == second.replace("Your question 2 was", "Deine Frage 2 war")
    assert ask("what was the third thing I asked?").answer == said


def test_what_stands_beside_thanks_is_no_question(ask: Ask) -> None:
    for said in ("brilliant, it works. thank you!", "that worked, cheers", "Great, it runs now"):
        turn = ask(said)
        assert turn.answer.outcome == "small-talk" and not turn.calls, said


def test_talk_about_an_answer_quotes_its_passages(ask: Ask) -> None:
    assert "no answer yet" in ask("shorter please").answer.text
    first = ask("Who was Laika?")
    assert first.answer.outcome == "answered"
    read = " ".join(" ".join(passage.text.split()) for passage in first.passages)
    again = ask("could you repeat that?")
    assert again.answer == replace(first.answer, form="talk") and not again.calls
    shorter = ask("shorter, please")
    assert len(shorter.answer.text) < len(first.answer.text) or len(first.answer.claims) == 1
    more = ask("tell me more")
    said = {claim.text for claim in first.answer.claims}
    assert more.answer.outcome == "answered" and not said & {claim.text for claim in more.answer.claims}
    assert all(claim.text in read for claim in more.answer.claims if claim.cites)
    for question in ("where does it say that?", "are you sure?", "in other words?"):
        turn = ask(question)
        assert turn.answer.outcome == "answered" and not turn.calls and turn.answer.sources
        cited = [claim for claim in turn.answer.claims if claim.cites]
        assert cited and all(claim.verdict == "supported" for claim in cited)
    assert ask("that's wrong").answer.text.startswith("What is wrong with it?")


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


@pytest.mark.parametrize(
    "question", ["who directed titanic?", "explain quantum entanglement", "what's the best laptop?"]
)
def test_what_the_documents_are_not_about_is_refused(ask: Ask, question: str) -> None:
    answer = ask(question).answer
    assert answer.refused and not answer.sources


def test_what_was_said_before_answers_no_question_that_stands_alone(ask: Ask) -> None:
    """Earlier turns lend a follow-up their words, and no evidence to another question."""
    for question in ("Who was Fritz Lang?", "What films did he make?"):
        assert ask(question).answer.outcome == "answered"
    for question in ("who directed titanic?", "explain quantum entanglement"):
        assert ask(question).answer.refused, question
    assert ask("Who directed Metropolis?").answer.outcome == "answered"


def test_what_this_is_about_before_anything_was_said_is_the_library(ask: Ask) -> None:
    ask("hi")
    assert ask("what is this about?").answer.form == "overview"


def test_a_refusal_names_what_may_be_a_noun(ask: Ask) -> None:
    answer = ask("couldn't somebody quickly recommend a dentist in Reykjavik?").answer
    assert answer.refused and answer.missing == ("Reykjavik",)


def test_a_refusal_is_in_the_language_of_its_question(ask: Ask) -> None:
    refused = ask("Wie hoch ist die Miete für die Wohnung in Berlin?").answer
    assert refused.refused and ("Dokumente" in refused.text) and "documents" not in refused.text


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("C'est combien le loyer ?", "loyer"),
        ("Quel est le prix du petit-déjeuner ?", "petit-déjeuner"),
        ("Où est l'ascenseur ?", "ascenseur"),
    ],
)
def test_a_noun_that_no_passage_holds_is_missing(cache: Path, tmp_path: Path, question: str, missing: str) -> None:
    (tmp_path / "refuge.md").write_text(
        "# Le refuge\n\nLe refuge a été bâti en 1931 par Alice Morel. Elle y vécut jusqu'en 1960.\n\n## Tarifs\n\n"
        "La nuit coûte 24 euros. Les chiens ne sont pas admis.\n",
        "utf-8",
    )
    list(index([tmp_path / "refuge.md"], tmp_path / "library", load_encoder(MINILM, cache)))
    settings = read_settings(library=tmp_path / "library", home=tmp_path / "data", cache=cache)
    with Assistant.open(settings) as assistant:
        *_, turn = assistant.ask("t", question)
    assert isinstance(turn, Turn) and turn.answer.missing == (missing,) and missing in turn.answer.text


def test_no_function_word_is_missing(ask: Ask) -> None:
    for question in (
        "C'est combien le loyer à Paris ?",
        "Was kostet die Miete in Berlin?",
        "Kiom kostas la ĉambro en Berlino?",
    ):
        answer = ask(question).answer
        assert answer.refused and not {"C'est", "kostet", "kostas", "Was"} & {*answer.missing}, question


@pytest.mark.parametrize(
    "question",
    ["Find the documents on Reykjavik.", "Good, list the dentists in Reykjavik", "Right. Tell me all about Reykjavik"],
)
def test_no_word_that_only_asks_is_missing_or_misspelt(ask: Ask, question: str) -> None:
    answer = ask(question).answer
    assert answer.refused and not answer.offered
    assert "Reykjavik" in answer.missing and not {"Find", "documents", "Good", "list", "Right"} & {*answer.missing}


def test_a_name_with_another_letter_is_asked_back_and_a_yes_asks_it(ask: Ask) -> None:
    refused = ask("Who directed Matropolis?").answer
    assert (refused.outcome, refused.missing) == ("nothing-found", ("Matropolis",))
    assert refused.text.endswith("Did you mean: Who directed Metropolis?")
    answer = ask("yes please").answer
    assert answer.outcome == "answered" and "Fritz Lang" in answer.text and not answer.offered
    assert ask("ok").answer.outcome == "small-talk"
