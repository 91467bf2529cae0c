"""Records: tables in files, JSON, lists of triples among it, and exported chats.

Of JSON and XML the keys and values stand in lines, a list of records is a table. Each message of a chat is an item of a
list, with its time and who wrote it, so that it is quoted whole: WhatsApp writes a text file, Signal and other programs
one like it, Telegram and Slack write JSON.
"""

import csv
import html
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import etree

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise, triple_lines
from clew.memory.knowledge.loaders.archive import head_of_mail, mail
from clew.memory.knowledge.loaders.jsonl import parts_of
from clew.memory.knowledge.loaders.layout import TextLayout, is_name
from clew.memory.knowledge.loaders.packages import SAFE, name_of
from clew.memory.knowledge.loaders.plain_text import decode, json_of, title_of_file, title_of_text, without_marks
from clew.memory.knowledge.loaders.sheets import write_rows
from clew.memory.knowledge.loaders.source import LoadFailure, Source, shown
from clew.memory.text import clean

SAMPLE = 4096  # characters that the delimiter is told by
DEEPEST = 20  # values in values, below which what is left stands as it is written
LOOKED_AT, LEAST = 50, 0.5  # first lines of a text, of which this share begins a message where it is a chat


def read_table(source: Source) -> Iterator[Document]:
    """A document: its rows, cells parted by `|`, empty ones left out; lines of one cell above them are text.

    Raises `Unreadable` where a cell has no end, or nothing stands in it.
    """
    text = decode(source.path.read_bytes())
    dialect: type[csv.Dialect] = csv.excel
    with suppress(csv.Error):  # commas, where nothing else is seen
        dialect = csv.Sniffer().sniff(text[:SAMPLE], ",;\t|")
    try:
        rows = [[" ".join(cell.split()) for cell in row] for row in csv.reader(io.StringIO(text), dialect)]
    except csv.Error as error:
        raise Unreadable(f"not a table: {error}") from error
    layout, title = TextLayout(), title_of_file(source.path)
    write_rows(layout, title, list(enumerate(filter(any, rows), 1)))
    yield layout.document(source, title)


def read_json(source: Source) -> Iterator[Document | LoadFailure]:
    """One document; of a list that begins with a triple, one for each subject. Raises `Unreadable` for what is no JSON,
    and where nothing is in it."""
    data = json_of(source)
    if isinstance(data, list) and data and parts_of(data[0]) and isinstance(data[0][0], str):
        yield from _documents_of_triples(source, data)
        return
    layout, title = TextLayout(), title_of_file(source.path)
    messages = _messages_of(data, _people_beside(source.path))
    for when, who, text in messages:
        layout.item(f"{when} - {who}: {text}")
    if messages:
        named = data.get("name") if isinstance(data, dict) else f"#{source.path.parent.name}, {source.path.stem}"
        title = clean(str(named)) if named else title
    else:
        _write(layout, data, 1)
    yield layout.document(source, title, date=messages[-1][0][:10] if messages else "")


def _write(layout: TextLayout, data: Any, level: int) -> None:
    if isinstance(data, dict) and level < DEEPEST:
        for key, value in sorted(data.items(), key=lambda one: isinstance(one[1], dict | list)):  # plain ones first
            if isinstance(value, dict | list):
                layout.heading(clean(str(key)), level)
                _write(layout, value, level + 1)
            else:
                layout.item(f"{clean(str(key))}: {_said(value)}")
    elif isinstance(data, list) and all(isinstance(one, dict) for one in data) and data:
        heads = list(dict.fromkeys(key for one in data for key in one))
        layout.table([list(map(clean, heads)), *([_said(one.get(key, "")) for key in heads] for one in data)], first=0)
    elif isinstance(data, list) and level < DEEPEST:
        for one in data:
            layout.item(_said(one))
    else:
        layout.words(_said(data))


def read_xml(source: Source) -> Iterator[Document]:
    """One document, as of JSON; nothing where it is no XML, or words stand beside elements, as in a text."""
    with suppress(etree.XMLSyntaxError, RecursionError):
        layout, root = TextLayout(), etree.fromstring(source.path.read_bytes(), etree.XMLParser(**SAFE))
        if not any(one.xpath("* and text()[normalize-space()]") for one in root.iter("*")):
            _write(layout, {name_of(root): _of_element(root)}, 1)
            yield layout.document(source, title_of_file(source.path))


def _of_element(element: etree._Element) -> Any:
    """Its words, its attributes behind them; without words, these and what is in it by name, some of one as a list."""
    own: dict[str, Any] = {str(key).rpartition("}")[2]: [clean(str(value))] for key, value in element.items()}
    if words := clean("".join(element.xpath("text()")).strip()):
        return f"{words} ({', '.join(f'{name}: {value}' for name, (value,) in own.items())})" if own else words
    for one in element.iterchildren("*"):
        own.setdefault(name_of(one), []).append(_of_element(one))
    return {name: each[0] if len(each) == 1 else each for name, each in own.items()} or ""


def _said(value: Any) -> str:
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _documents_of_triples(source: Source, entries: list[Any]) -> Iterator[Document | LoadFailure]:
    """A document for each subject, with its triples a line each, the same ones once; at the end, counted, the entries
    that are none."""
    by_subject, bad, place = dict[str, list[tuple[str, ...]]](), list[int](), shown(source.path)
    for number, entry in enumerate(entries, 1):
        if parts := parts_of(entry):
            by_subject.setdefault(normalise(parts[0]), []).append(parts)
        else:
            bad.append(number)
    for subject, triples in by_subject.items():
        text = "\n".join(triple_lines(triples))
        yield Document(f"{source.name}:{subject}", triples[0][0], text, place, triples=tuple(triples))
    if bad:
        why = f"{len(bad)} of its entries are not three texts, the first is entry {bad[0]}"
        yield LoadFailure(place, why, len(bad))


_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\.\d+)?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?"
_MESSAGE = re.compile(rf"\u200e?\[?({_DATE}),?[ T]({_TIME})\]?(?: -|:)? (?:([^:\n]{{1,60}}): )?(.*)")
"""`[12/03/24, 18:02:11] Maren: who?`, `12.03.24, 18:02 - Maren: who?`, `2024-03-12 18:02 Maren: who?`"""

_LINK = re.compile(r"<(?:[^<>|]+\|)?([^<>|]+)>")


def read_text(source: Source) -> Iterator[Document]:
    """One document. In a chat a line that begins no message goes on in the one before; lines whose cells are parted by
    tabs are a table; fields of a mail at the beginning are those of one."""
    text, title = decode(source.path.read_bytes()), title_of_file(source.path)
    layout, is_text = TextLayout(), source.path.suffix.lower() == ".txt"
    fields, rest = head_of_mail(text) if is_text else ({}, "")
    if fields:
        yield mail(source, fields, rest)
        return
    if not is_text or not _is_chat(text):
        text = without_marks(text) if is_text else text
        title = title_of_text(text, alone=True) or title
        if is_text and _write_tables(layout, text, title):
            yield layout.document(source, title)
        else:
            yield Document(source.name, title, text, shown(source.path))
        return
    for line in text.splitlines():
        if _MESSAGE.fullmatch(line):
            layout.open_item()
        layout.words(" " + line.lstrip("\u200e") + " ")  # a mark that a line is written from the left
    yield layout.document(source, title)


def _write_tables(layout: TextLayout, text: str, title: str) -> bool:
    """The text with its tables: lines with as many tabs each, of which the first names the columns; of two columns the
    second has numbers or days. Whether it has one."""
    others = list[str]()
    for tabs, run in groupby(text.splitlines(), key=lambda line: line.count("\t")):
        rows = [line.split("\t") for line in run]
        is_told = tabs > 1 or not any(is_name(row[-1].strip()) for row in rows[1:])
        if tabs and len(rows) > 1 and is_told and all(is_name(cell.strip()) for cell in rows[0]):
            layout.verbatim("\n".join(others))
            layout.table(rows, title)
            others.clear()
        else:
            others += map("\t".join, rows)
    layout.verbatim("\n".join(others))
    return bool(layout.tables)


def _is_chat(text: str) -> bool:
    lines = [line for line in text.splitlines()[:LOOKED_AT] if line.strip()]
    said = [found for line in lines if (found := _MESSAGE.fullmatch(line)) and found[3]]
    return len(said) > 1 and len(said) >= LEAST * len(lines)


def _messages_of(data: Any, people: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Time, sender and text of each message of an export of Telegram or Slack; none where it is another file."""
    listed = data.get("messages") if isinstance(data, dict) else data
    if not isinstance(listed, list):
        return []
    found = []

    def named(target: str) -> str:
        return f"@{people[target[1:]]}" if target[1:] in people else target

    for one in (one for one in listed if isinstance(one, dict)):
        when, text = one.get("date", one.get("ts")), one.get("text")
        sender = one.get("from") or (one.get("user_profile") or {}).get("real_name") or one.get("user")
        sender = sender or one.get("from_id")  # whose account is gone
        if isinstance(text, list):  # of Telegram: plain words, and records of what is bold or a link
            text = "".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in text)
        if when is None or not isinstance(text, str) or not (text.strip() and sender):
            continue
        with suppress(ValueError, OverflowError):
            of_slack = "date" not in one
            moment = datetime.fromtimestamp(float(when), UTC) if of_slack else datetime.fromisoformat(str(when))
            said = html.unescape(_LINK.sub(lambda link: named(link[1]), text)) if of_slack else text
            found.append((moment.strftime("%Y-%m-%d %H:%M"), people.get(str(sender), str(sender)), clean(said)))
    return found


def _people_beside(path: Path) -> dict[str, str]:
    """The names of people by their ids, where Slack's export has them."""
    try:
        listed = json.loads((path.parent.parent / "users.json").read_bytes())
        return {one["id"]: str(one.get("real_name") or one.get("name") or one["id"]) for one in listed}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
