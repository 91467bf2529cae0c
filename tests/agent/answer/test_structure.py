"""What a document is made of: told by its marks, or seen in its lines."""

import pytest

from clew.agent.answer.structure import Region, region_of, sentences_of
from clew.memory.datatypes import Document, Mark, Passage


def region(text: str, *headings: str) -> Region:
    marks = tuple(Mark(text.index(heading), heading) for heading in headings)
    passage = Passage("d#0", "d", "", text, 1.0, "t", start=0, end=len(text))
    return region_of(passage, Document("d", "", text, headings=marks))


def kinds(text: str, *headings: str) -> list[tuple[str, str]]:
    found = region(text, *headings)
    return [(block.kind, " ".join(found.of(block).split())) for block in found.blocks]


NOTES = """Plot behind the house

Reason: the soil is wet.

- beans
- peas, two rows

Month | Rain | Sun
May | 40 | 180
June | 20 | 220

What do I water with?

The can in the shed."""


def test_the_parts_of_a_page_of_notes() -> None:
    assert kinds(NOTES) == [
        ("heading", "Plot behind the house"),
        ("prose", "Reason: the soil is wet."),
        ("item", "- beans"),
        ("item", "- peas, two rows"),
        ("row", "Month | Rain | Sun"),
        ("row", "May | 40 | 180"),
        ("row", "June | 20 | 220"),
        ("heading", "What do I water with?"),
        ("prose", "The can in the shed."),
    ]


@pytest.mark.parametrize("line", ["Teacher: Mr Hale (till July)", "Make: Calora ecoTEC", "Insurance: Nord, 688 a year"])
def test_a_line_with_a_label_is_no_heading(line: str) -> None:
    assert kinds(f"School\n\n{line}\n\n- swimming\n- chess")[1] == ("prose", line)


@pytest.mark.parametrize("line", ["Ropes: Tension and Knots", "Chapter 2: the mill", "Summer fair"])
def test_a_title_with_a_colon_is_one(line: str) -> None:
    assert kinds(f"{line}\n\nIt was a fine day, and all came.")[0] == ("heading", line)


def test_a_line_of_a_verse_is_no_heading() -> None:
    text = "He called:\n\nO man of the sea\n\nHearken to me,\n\nand come.\n\nThe end\n\nIt came, and it was blue."
    assert [kind for kind, _ in kinds(text)] == ["prose", "prose", "prose", "prose", "heading", "prose"]


def test_each_stands_under_its_heading_and_behind_what_announces_it() -> None:
    found = region(NOTES)
    item, row, last = found.blocks[3], found.blocks[6], found.blocks[8]
    assert found.of(found.blocks[item.lead]) == "Reason: the soil is wet."
    assert found.of(found.blocks[row.lead]) == "Month | Rain | Sun"
    assert found.of(found.blocks[last.head]) == "What do I water with?"


@pytest.mark.parametrize(
    "code",
    [
        "client = Client(timeout=10.0)",
        ">>> r = get('https://example.org/')\n>>> r.status\n200",
        "# Make a copy\nwith open('a') as file:\n    file.read()",
        "$ borg create --stats /repo::monday ~/docs",
    ],
)
def test_code_is_one_block(code: str) -> None:
    assert kinds(f"You can do it so:\n\n{code}\n\nThat is all there is.")[1] == ("code", " ".join(code.split()))


def test_contents_and_menus_are_no_items() -> None:
    text = "- Home\n- About\n- Docs\n- Find\n\nBees\n\n- How is it?\n- Why wood?\n- Who helps?\n\nHow is it?\n\nSo."
    assert [kind for kind, _ in kinds(text, "Bees")] == [
        *["contents"] * 4,
        "heading",
        *["contents"] * 3,
        "heading",
        "prose",
    ]


def test_a_region_goes_on_to_the_end_of_the_list() -> None:
    text = "It needs:\n\n- flour\n- eggs\n- milk"
    passage = Passage("d#0", "d", "", text[:18], 1.0, "t", start=0, end=18)
    assert [block.kind for block in region_of(passage, Document("d", "", text)).blocks] == [
        "prose",
        "item",
        "item",
        "item",
    ]


def test_the_lines_of_a_title_page_are_one_phrase() -> None:
    page = "Paper read before\nthe Seminar\nof\nDr. A. Smith\nat\nThe University, New York\non\n9th May 1916"
    whole = "Paper read before the Seminar of Dr. A. Smith at The University, New York on 9th May 1916"
    assert [text for _, text in kinds(page)] == [whole]


MANUAL = """- Depth of a bed

Beds are forty centimetres deep.

- Number of plants in a row

A row has twelve plants. Write the number down:

- twelve

Then water them.

(7) Watering is slow - I can only fill a few of the cans in the shed

Take the hose."""


def test_items_that_stand_alone_above_prose_are_its_headings() -> None:
    found = [text for kind, text in kinds(MANUAL) if kind == "heading"]
    assert found == [
        "- Depth of a bed",
        "- Number of plants in a row",
        "(7) Watering is slow - I can only fill a few of the cans in the shed",
    ]
    alone = kinds("- Depth of a bed\n\nBeds are deep.")
    assert alone[0][0] == "item"


TERMS = """The pump shows one of these:

F2

No water in the tank

F3

The filter is full

Wait a minute, then switch it on again.

Where it stands

In the shed."""


def test_short_lines_that_a_colon_announces_are_its_list() -> None:
    found = region(TERMS)
    items = [block for block in found.blocks if block.kind == "item"]
    assert [found.of(block) for block in items] == ["F2", "No water in the tank", "F3", "The filter is full"]
    assert {found.of(found.blocks[block.lead]) for block in items} == {"The pump shows one of these:"}
    assert ("heading", "Where it stands") in kinds(TERMS)


def test_marked_headings_behind_a_colon_stay_headings() -> None:
    marked = kinds(TERMS, "F2", "No water in the tank", "F3", "The filter is full")
    assert [text for kind, text in marked if kind == "heading"][:2] == ["F2", "No water in the tank"]


def test_each_line_above_a_mail_is_one() -> None:
    text = "From: Ann Orde\nDate: Tuesday 6 May 2025\nSubject: Savings\n\nDear Tom, I was wrong. It was more."
    found = region(text)
    heads, body = found.blocks[:3], found.blocks[3]
    assert [found.of(block) for block in heads] == text.split("\n")[:3]
    assert len(sentences_of(found, body)) == 2


def test_a_row_with_a_cell_less_than_those_below_names_their_columns() -> None:
    table = "Places:\n\n3 Arcade | 22 Mill Lane\nfloor | 68 m | 91 m\nrent | 1,180 | 990\ndamp | none | yes"
    found = region(table)
    assert [block.lead for block in found.blocks[1:]] == [-1, 1, 1, 1]
