"""What is read of JSON as models write it, and what is not taken for it."""

from typing import Any

import pytest

from clew.memory.json_lines import read_json

GOOD: dict[str, Any] = {"name": "Lang's film", "parts": [1, 2]}


@pytest.mark.parametrize(
    "reply",
    [
        '{"name": "Lang\'s film", "parts": [1, 2]}',
        'Sure! Here it is:\n```json\n{"name": "Lang\'s film", "parts": [1, 2]}\n```\nAnything else?',
        "{'name': 'Lang's film', 'parts': [1, 2]}",
        '{"name": "Lang\'s film", "parts": [1, 2,],}',
        "{“name”: “Lang's film”, “parts”: [1, 2]}",
        '{"name": "Lang\'s film",\n "parts": [1,\n 2]} {"name": ""}',
    ],
)
def test_it_is_read(reply: str) -> None:
    assert read_json(reply) == GOOD


def test_brackets_and_line_breaks_in_strings_are_text() -> None:
    assert read_json('{"name": "a } ] \\" {\nb"}') == {"name": 'a } ] " {\nb'}


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("", "it is empty"),
        ("I cannot do that.", "there is no JSON in it"),
        ('{"entities": [{"name": "Fritz Lang"}, {"name": "Met', "it breaks off before its end"),
        ('{"entities": [{"name": "Fritz Lang"}], "triples": [', "it breaks off before its end"),
        ("{entities: none}", "it is no valid JSON"),
        ("[" * 100_000 + "]" * 100_000, "it is no valid JSON"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(reply: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_json(reply)
