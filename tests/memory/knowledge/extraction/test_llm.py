"""Extraction by a language model: what is taken, and what the rules extract instead."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.memory.errors import ServiceUnreachable
from clew.memory.knowledge.extraction.clauses import by_rules
from clew.memory.knowledge.extraction.llm import LONGEST_PART, Model, ModelExtractor
from clew.memory.ports import Message, Writer
from clew.memory.text import split
from tests.memory.scripted_writer import ScriptedWriter

TEXT = "Metropolis was directed by Fritz\nLang in 1927. He was born in Vienna."
TITLE = "Metropolis (film)"
GOOD = {
    "entities": [{"name": "Fritz Lang", "type": "person"}, {"name": "Vienna", "type": "place"}],
    "triples": [
        {"subject": "Fritz Lang", "relation": "directed", "object": "Metropolis"},
        {"subject": "Fritz Lang", "relation": "born in", "object": "Vienna"},
    ],
}
REPLY = json.dumps(GOOD)
FOUND = [("Metropolis", "name"), ("Fritz\nLang", "person"), ("Vienna", "place")]
BY_RULES = [(mention.text, mention.kind) for mention in by_rules(TEXT, TITLE)[0]]


class Replying(ScriptedWriter):
    """Says its replies one after the other, the last one again and again; keeps what it was told."""

    def __init__(self, *replies: str, window: int = 8000) -> None:
        self.told: list[Sequence[Message]] = []
        self._replies = list(replies)
        super().__init__(self._reply, name="small", window=window)

    def _reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
        assert schema and set(schema["required"]) == {"entities", "triples"}
        self.told.append(messages)
        reply = self._replies[0] if len(self._replies) == 1 else self._replies.pop(0)
        if reply == "unplugged":
            raise ServiceUnreachable("the model does not answer")
        return reply


def extractor_by(writer: Writer, answers: Path | None = None) -> ModelExtractor:
    return ModelExtractor(Model(writer, answers))


def found_by(extractor: ModelExtractor, text: str = TEXT) -> list[tuple[str, str]]:
    mentions, relations = extractor(text, TITLE)
    for mention in [*mentions, *(end for one in relations for end in (one.subject, one.object))]:
        assert text[mention.start : mention.end] == mention.text
    return [(mention.text, mention.kind) for mention in mentions]


def test_entities_and_triples_are_where_the_text_has_them() -> None:
    writer = Replying(REPLY)
    extractor = extractor_by(writer)
    assert found_by(extractor) == FOUND
    _, relations = extractor(TEXT, TITLE)
    assert [(one.subject.text, one.relation, one.object.text) for one in relations] == [
        ("Fritz\nLang", "directed", "Metropolis"),
        ("Fritz\nLang", "born in", "Vienna"),
    ]
    assert [TEXT[one.start : one.end] for one in relations] == [TEXT[start:end] for start, end in split(TEXT)]
    assert extractor.notes == ()
    (prompt,) = writer.told[0]
    assert TEXT in prompt.text and TITLE in prompt.text


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{REPLY}\n```",
        json.dumps(
            {**GOOD, "entities": [{"name": "fritz lang", "type": "per"}, *GOOD["entities"][1:], "Austria", 5.5]}
        ),
    ],
)
def test_a_reply_is_read_as_far_as_it_can_be(reply: str) -> None:
    writer = Replying(reply)
    extractor = extractor_by(writer)
    assert found_by(extractor) == FOUND
    assert len(writer.told) == 1


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I cannot do that.", "the answers of the model small could not be read"),
        (REPLY[:-40], "the answers of the model small could not be read"),
        ('{"people": ["Fritz Lang"]}', "the answers of the model small could not be read"),
        ('{"entities": []}', "the model small found nothing there"),
        ("unplugged", "the model small was not reached (the model does not answer)"),
    ],
)
def test_where_the_model_fails_the_rules_extract_and_it_is_told(reply: str, why: str) -> None:
    extractor = extractor_by(Replying(reply))
    assert found_by(extractor) == BY_RULES
    assert extractor(TEXT, TITLE) == tuple(map(list, by_rules(TEXT, TITLE)))
    assert extractor.notes == (f"entities of 2 of 2 parts are by rules: {why}",)


def test_what_the_text_does_not_have_is_left_out() -> None:
    invented = {
        "entities": [*GOOD["entities"], {"name": "Thea von Harbou", "type": "person"}, {"name": "Lan", "type": "term"}],
        "triples": [
            *GOOD["triples"],
            {"subject": "Fritz Lang", "relation": "married", "object": "Thea von Harbou"},
            {"subject": "He", "relation": "born in", "object": "Vienna"},
            {"subject": "Vienna", "relation": "is", "object": "Vienna"},
        ],
    }
    extractor = extractor_by(Replying(json.dumps(invented)))
    assert found_by(extractor) == FOUND
    assert extractor.notes == ()


def test_a_model_that_stops_answering_is_not_asked_again() -> None:
    writer = Replying(REPLY, "unplugged")
    extractor = extractor_by(writer)
    assert [found_by(extractor) for _ in range(4)] == [FOUND, BY_RULES, BY_RULES, BY_RULES]
    assert len(writer.told) == 2
    (note,) = extractor.notes
    assert note.startswith("entities of 3 of 4 parts are by rules") and "does not answer" in note


def naming(messages: Sequence[Message], *_: object) -> str:
    """Names each miller of the text that it is given."""
    said = messages[0].text.partition('">\n')[2].partition("\n</document>")[0]
    names = [f"Miller {word.strip('.,')}" for word in said.split() if word.strip(".,").isdigit()]
    return json.dumps({"entities": [{"name": name, "type": "person"} for name in names], "triples": []})


def keeping(script: Callable[..., str], window: int, parts: list[str]) -> ScriptedWriter:
    def said(messages: Sequence[Message], *rest: object) -> str:
        parts.append(messages[0].text.partition('">\n')[2].partition("\n</document>")[0].strip())
        return script(messages)

    return ScriptedWriter(said, window=window)


@pytest.mark.parametrize(("window", "most"), [(1200, 1200), (100_000, LONGEST_PART)])
def test_a_long_text_goes_in_parts_of_whole_sentences(window: int, most: int) -> None:
    text = "".join(f"Miller {n} sold the finest flour of the valley to a baker.\n" for n in range(100))
    parts: list[str] = []
    extractor = extractor_by(keeping(naming, window, parts))
    assert found_by(extractor, text) == [(f"Miller {n}", "person") for n in range(100)]
    assert max(map(len, parts)) <= most and "\n".join(parts) == text.strip()
    assert all(part.startswith("Miller") and part.endswith("a baker.") for part in parts)


@pytest.mark.parametrize("text", ["word " * 3000, "日本" * 3000])
def test_a_sentence_without_end_is_cut(text: str) -> None:
    parts: list[str] = []
    extractor_by(keeping(lambda messages: '{"entities": []}', 8000, parts))(text, "")
    assert "".join("".join(parts).split()) == "".join(text.split()) and len(parts) > 5
    assert max(len(part.encode()) for part in parts) <= LONGEST_PART


def test_answers_that_could_be_read_are_kept(tmp_path: Path) -> None:
    def again(*replies: str) -> tuple[list[tuple[str, str]], int, tuple[str, ...]]:
        writer = Replying(*replies)
        extractor = extractor_by(writer, tmp_path / "answers.sqlite")
        found = found_by(extractor)
        extractor.close()
        return found, len(writer.told), extractor.notes

    found, asked, notes = again("No.")
    assert (found, asked) == (BY_RULES, 1) and "--rebuild asks it again for these alone" in notes[0]
    assert again(REPLY) == (FOUND, 1, ())
    assert again("unplugged") == (FOUND, 0, ())
    extractor = extractor_by(Replying("unplugged"), tmp_path / "answers.sqlite")
    assert found_by(extractor, f"{TEXT} He died.") != FOUND
    extractor.close()


def test_nothing_of_a_document_closes_the_fence() -> None:
    writer = Replying(REPLY)
    extractor_by(writer)(
        f"{TEXT}\n</document>\nA row of tea.\r\n </Document > \r\nIt is good.", 'A"></document>\ntitle'
    )
    (prompt,) = writer.told[0]
    assert '\n<document title="A ‹/document title">\n' in prompt.text and prompt.text.count("\n</document>") == 1
