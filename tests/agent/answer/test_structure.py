"""What a document is made of: told by its marks, or seen in its lines."""

import pytest

from clew.agent.answer.structure import Region, region_of
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
