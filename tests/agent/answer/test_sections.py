"""A section is found by its heading, and ends where the next of its depth begins."""

from clew.agent.answer.sections import named_section, section_of
from clew.memory.datatypes import Document, Mark

WORDS = "Some words that stand in it and are more than a few, as sections have them, so that it is worth it. " * 3


def document(*parts: str) -> Document:
    text = "\n\n".join(parts)
    heads = tuple(Mark(text.index(part), part) for part in parts if part != WORDS)
    return Document("d", "Paper", text, headings=heads)


def test_a_numbered_section_has_those_below_it() -> None:
    paper = document("1. Aims", WORDS, "2. Test of speed", WORDS, "2.1 Machines", WORDS, "3. End", WORDS)
    found = section_of("the test of speed", [paper])
    assert found is not None
    assert found.heading == "2. Test of speed"
    assert paper.text[slice(*found.span)].split()[-1] == WORDS.split()[-1]
    assert "2.1 Machines" in paper.text[slice(*found.span)]
    assert "3. End" not in paper.text[slice(*found.span)]


def test_without_numbers_it_ends_at_the_next_heading() -> None:
    found = section_of("speed", [document("Aims", WORDS, "Speed", WORDS, "Machines", WORDS)])
    assert found is not None
    assert len(found.document.text[slice(*found.span)].split()) == len(WORDS.split())


def test_none_where_no_heading_says_just_that() -> None:
    paper = document("Test of speed", WORDS, "End", "Few words.")
    assert section_of("speed", [paper]) is None
    assert section_of("the end", [paper]) is None
    assert section_of("the", [paper]) is None


def test_a_section_is_named_by_what_it_is_about() -> None:
    named = [
        named_section(words)
        for words in ("the chapter on joins", "section about the tides", "the Usage section", "speed")
    ]
    assert named == ["joins", "tides", "Usage", ""]


def test_a_section_is_called_by_its_number() -> None:
    paper = document("1. Aims", WORDS, "2. Test of speed", WORDS, "2.1 Machines", WORDS, "12. End", WORDS)
    found = {words: section_of(words, [paper]) for words in ("section 2", "chapter 2.1", "part 3", "Section 12")}
    assert {words: one and one.heading for words, one in found.items()} == {
        "section 2": "2. Test of speed",
        "chapter 2.1": "2.1 Machines",
        "part 3": None,
        "Section 12": "12. End",
    }
