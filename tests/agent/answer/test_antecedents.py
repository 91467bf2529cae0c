"""Whom a pronoun stands for: the sentence that names him comes with it, and it tells nothing of another."""

import pytest

from clew.agent.answer.antecedents import is_of_another, read_with
from clew.agent.answer.cores import cores_of
from clew.agent.answer.evidence import evidence_of
from clew.agent.answer.quotation import quote
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.memory.datatypes import Document, Passage
from clew.memory.encoding import CachedEncoder

CLINIC = (
    "Dr. Bose ran the clinic from 1920. Dr. Amin visited it in 1931. He was born in Lahore. "
    "He wrote two books on malaria."
)
GLASS = (
    "Elsbeth Marrow was a glassblower from Tintern. She was born in 1871. In 1902 she invented the twisted stem.\n\n"
    "Corwin Hale was her rival in Bristol. He copied the twisted stem in 1904.\n\n"
    "Later he sold his house. It had nine rooms."
)
SIBLINGS = "Marit Lie keeps the shop. Her brother is Per Lie. He plays the fiddle. She sings."
SECTIONS = "# Mill\n\nThe mill at Eling has two wheels.\n\nIt was rebuilt in 1785.\n\n# Bridge\n\nIt was built of oak."


def named(text: str, begins: str) -> str:
    core = next(core for core in cores_of([passage(text)], {"d": Document("d", "", text)}) if begins in core.text)
    span = read_with(core.region, core.place, core.span)
    return core.region.text[slice(*span)] if span else ""


def passage(text: str) -> Passage:
    return Passage("d#0", "d", "", text, 0.6, "hybrid", end=len(text))


@pytest.mark.parametrize(
    ("text", "begins", "naming"),
    [
        (CLINIC, "He wrote", "Dr. Amin visited it in 1931."),
        (GLASS, "In 1902", "Elsbeth Marrow was a glassblower from Tintern."),
        (GLASS, "He copied", "Corwin Hale was her rival in Bristol."),
        (GLASS, "It had", "Later he sold his house."),
        (SECTIONS, "It was rebuilt", "The mill at Eling has two wheels."),
        (SECTIONS, "It was built", ""),
        ("Anna came late. Paul was there. She sang.", "She sang", "Anna came late."),
        (SIBLINGS, "He plays", "Her brother is Per Lie."),
        (SIBLINGS, "She sings", "Marit Lie keeps the shop."),
        ("Ann left the flat. She who lives there is a baker.", "She who", ""),
        ("Anna came late. It rained all day. This was a pity.", "This was", "It rained all day."),
    ],
)
def test_a_pronoun_comes_with_the_sentence_that_names_whom_it_means(text: str, begins: str, naming: str) -> None:
    assert named(text, begins) == naming


@pytest.mark.parametrize(
    ("begins", "question", "other"),
    [
        ("He was born", "Where was Dr. Bose born?", True),
        ("He was born", "Where was Dr. Amin born?", False),
        ("He was born", "Where was the doctor born?", False),
        ("Dr. Amin", "When did Dr. Bose visit the clinic?", False),
    ],
)
def test_it_counts_only_for_that_one(begins: str, question: str, other: bool) -> None:
    found = cores_of([passage(CLINIC)], {"d": Document("d", "", CLINIC)})
    core = next(core for core in found if core.text.startswith(begins))
    assert is_of_another(core.region, core.place, core.span, question) == other


@pytest.mark.parametrize(("name", "other"), [("Per Lie", False), ("Marit Lie", True), ("the shopkeeper", False)])
def test_who_has_the_same_surname_is_another(name: str, other: bool) -> None:
    core = next(
        one for one in cores_of([passage(SIBLINGS)], {"d": Document("d", "", SIBLINGS)}) if "He plays" in one.text
    )
    assert is_of_another(core.region, core.place, core.span, f"Does {name} play the fiddle?") == other


def test_nobody_is_told_of_whom_a_pronoun_does_not_mean(encoder: CachedEncoder) -> None:
    def say(question: str) -> str:
        document = Document("d", "", CLINIC)
        evidence = evidence_of([passage(CLINIC)], encoder, [document])
        return quote(Wanted(question, question), [passage(CLINIC)], evidence, AnswerParameters()).plain

    assert say("Where was Dr. Amin born?") == "Dr. Amin visited it in 1931. He was born in Lahore."
    assert "Lahore" not in say("Where was Dr. Bose born?")
