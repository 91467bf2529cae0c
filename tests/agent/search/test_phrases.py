"""Words in quotation marks, and names that are left out."""

from clew.agent.search.phrases import holding, holds_phrase, left_out, phrases_of, versions
from clew.memory.knowledge.library import Library


def test_phrases_stand_in_quotation_marks() -> None:
    assert phrases_of('who says "drop  dead" or \u201ceasy come\u201d?') == ("drop dead", "easy come")
    assert phrases_of("the club's rules") == ()


def test_a_phrase_is_held_as_it_is() -> None:
    assert holds_phrase("He carries TWO\nadrenaline pens.", "two adrenaline pens")
    assert not holds_phrase("two pens of adrenaline", "two adrenaline pens")
    assert not holds_phrase("interpretation", "pretation")


def test_passages_with_a_phrase_are_found(examples: Library) -> None:
    held = holding("Thea von Harbou", examples.store, None)
    assert held and all("Thea von Harbou" in one.text for one in held)
    assert holding("Harbou von Thea", examples.store, None) == []
    assert holding("Thea von Harbou", examples.store, frozenset({"animals/ham.md"})) == []


def test_a_name_is_left_out_and_nothing_else() -> None:
    assert left_out("Which hives besides Birch are in the orchard?") == {"birch"}
    assert left_out("Who came except for Rosa Lindqvist?") == {"rosa", "lindqvist"}
    assert left_out("what else is there besides the usual?") == frozenset()
    assert left_out("Who lives beside Rosa?") == frozenset()


def test_an_option_of_a_command_is_searched_as_it_is() -> None:
    assert versions("What does set -x do, and what --no-pager? And an e-mail - or not?") == ["-x", "--no-pager"]
    assert holds_phrase("set [\u2212x] shows each command", "-x")
    assert not holds_phrase("an x-ray, and --x-forwarded, and -X", "-x")


def test_a_version_is_a_name_with_a_number_of_several_parts() -> None:
    assert versions("What changed between Borg 1.2 and Borg 1.2.4 in 2022?") == ["Borg 1.2", "Borg 1.2.4"]
    assert versions("What did Chapter 3 cost in March 2.") == []
