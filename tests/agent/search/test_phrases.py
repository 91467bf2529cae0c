"""Words in quotation marks, and names that are left out."""

from clew.agent.search.phrases import (
    asks_for,
    first,
    holding,
    holds_phrase,
    left_out,
    phrases_of,
    versions,
    with_definition,
)
from clew.memory.datatypes import Passage
from clew.memory.knowledge.library import Library


def test_phrases_stand_in_quotation_marks() -> None:
    assert phrases_of('who says "drop  dead" or \u201ceasy come\u201d?') == ("drop dead", "easy come")
    assert phrases_of("the club's rules") == ()


def test_a_phrase_is_held_as_it_is() -> None:
    assert holds_phrase("He carries TWO\nadrenaline pens.", "two adrenaline pens")
    assert not holds_phrase("two pens of adrenaline", "two adrenaline pens")
    assert not holds_phrase("interpretation", "pretation")


def test_passages_with_the_phrase_come_first_and_others_behind(examples: Library) -> None:
    held = holding("Thea von Harbou", examples.store, None)
    assert held and all("Thea von Harbou" in one.text for one in held)
    assert holding("Harbou von Thea", examples.store, None) == []
    assert holding("Thea von Harbou", examples.store, frozenset({"animals/ham.md"})) == []
    other = Passage("x#0", "x", "Ham", "Ham was a chimpanzee.", 2.0, "hybrid")
    found = first([other, held[0]], "Thea von Harbou", held)
    assert [one.id for one in found] == [held[0].id, *(one.id for one in held[1:4]), "x#0"]
    assert all(one.score == 2.0 for one in found[1:-1])
    assert first([other], "no such words", []) == (other,)


def test_what_says_what_a_thing_is_is_read_behind_the_two_best(examples: Library) -> None:
    found = [Passage(f"x#{n}", "x", "Lang", "He made Metropolis.", 2.0, "hybrid") for n in range(9)]
    more = with_definition("Metropolis", found, examples.store, None)
    assert [one.id for one in more if one not in found] == [more[2].id]
    assert "Metropolis is a German silent film" in more[2].text and more[2].score == 2.0
    assert [one for one in more if one in found] == found
    said = [*found[:7], more[2], *found[7:]]
    assert with_definition("Metropolis", said, examples.store, None) == tuple(said)  # it is read already
    assert with_definition("Metropolis", [*found, more[2]], examples.store, None) == (*found[:2], more[2], *found[2:])
    assert with_definition("zyzzyva", found, examples.store, None) == tuple(found)
    assert with_definition("Metropolis", found, examples.store, frozenset({"animals/ham.md"})) == tuple(found)
    assert with_definition("", found, examples.store, None) == tuple(found)


def test_where_more_is_asked_only_the_best_passage_with_the_phrase_comes_first() -> None:
    assert asks_for('Who says "two adrenaline pens"?', "two adrenaline pens")
    assert not asks_for('Who did the actor who played Constable Fraser in "Due South" marry?', "Due South")
    texts = ["An actor.", "He was in Due South.", "A wife.", "Due South is a series."]
    passages = [Passage(str(n), str(n), "", text, 1.0, "hybrid") for n, text in enumerate(texts)]
    more = Passage("9", "9", "", "Due South again.", 1.0, "phrase")
    assert [one.id for one in first(passages, "Due South", [more], alone=False)] == ["1", "0", "2", "3"]
    assert [one.id for one in first(passages, "Due South", [more])] == ["1", "3", "9", "0", "2"]
    assert [one.id for one in first(passages[:1], "Due South", [more], alone=False)] == ["9", "0"]


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
