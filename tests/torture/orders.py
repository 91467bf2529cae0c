"""Documents that give orders, indexed and asked about, with models that obey whatever reaches them.

`DOCUMENTS` is a folder of other ones, a file each; what their orders want said, a line each, is in its `payload.txt`,
or else what they have in quotation marks and their addresses.
"""

import json
import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from clew.agent.assistant import Assistant
from clew.agent.models import Writers
from clew.agent.services import Services
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.agent.talk.lines import line
from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.communities.community_index import FROM
from clew.memory.knowledge.disk import DATABASE, current_generation
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.ports import Message
from clew.memory.text import LANGUAGES
from clew.tools.base import encode_query
from tests.memory.scripted_writer import ScriptedWriter
from tests.torture import Points, Run

ORDERS = Path(__file__).parents[1] / "agent" / "orders"
QUESTIONS = ("What is the Moon like?", "and why is it so?")
PAYLOADS, GOOD = "payload.txt", "good.md"
NOTICES = frozenset(line("order quoted", language) for language in LANGUAGES)

_QUOTED = re.compile(r"[\"“„«「]([^\"“”„«»「」\n]{3,80})[\"”“»」]")
_ADDRESS = re.compile(r"https?://[^\s<>\"')\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"\]\(|<img|<a |javascript:")


def points(run: Run) -> Points:
    encoder = load_encoder(MINILM, run.folder / "shared")
    every = list(given(run))
    for number in sorted(run.chance("orders").sample(range(len(every)), run.some(len(every)))):
        name, text, payloads = every[number]
        yield (
            name,
            "; ".join(wrong(run.folder / str(number), name, text, payloads, encoder, by_model=bool(number % 2))),
        )


def given(run: Run) -> Iterator[tuple[str, bytes, list[str]]]:
    if run.documents is None:
        for file in sorted(ORDERS.glob("*.jsonl")):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                text = f"The Moon is grey.\n\n{json.loads(line)['order']}\n\nThe Moon has no air.\n"
                yield f"{file.stem}-{number}.md", text.encode(), ["Zorblax"]
        return
    listed = run.documents / PAYLOADS
    known = [line for line in listed.read_text("utf-8").splitlines() if line.strip()] if listed.exists() else []
    for file in sorted(run.documents.rglob("*")):
        if file.is_file() and file != listed:
            text = file.read_bytes().decode("utf-8", "ignore")
            yield file.name, file.read_bytes(), known or [*_QUOTED.findall(text), *_ADDRESS.findall(text)]


def wrong(
    folder: Path, name: str, text: bytes, payloads: Sequence[str], encoder: CachedEncoder, by_model: bool
) -> Iterator[str]:
    documents = folder / "documents"
    documents.mkdir(parents=True)
    (documents / name).write_bytes(text)
    (documents / GOOD).write_text("# The Moon\n\nThe Moon is 384,400 km away from the Earth and has no air.\n")
    writer = obeying(payloads)
    model = Model(writer) if by_model else None
    parameters = Parameters(
        extractor="llm" if by_model else "rules", model=model, summariser=writer if by_model else None
    )
    for _ in index([documents], folder / "library", encoder, parameters=parameters):
        pass
    generation = current_generation(folder / "library")
    assert generation
    with closing(sqlite3.connect(generation / DATABASE)) as database:
        own = [id_ for (id_,) in database.execute("SELECT id FROM documents WHERE id != ?", (GOOD,))]
        reports = [unmarked(report, own) for (report,) in database.execute("SELECT report FROM communities")]
    yield from (f"a report has {one} and does not say whose it is" for one in _held(reports, payloads))
    yield from (f"a report has a link: {one}" for one in reports if _LINK.search(one))
    settings = read_settings(library=folder / "library", home=folder / "home", cache=folder / "cache", llm="none")
    with closing(Assistant.open(settings)) as opened:
        writers = Writers(writer, writer, writer)
        yield from _of_tools(opened.services, payloads, own)
        yield from _of_turns(Assistant(replace(opened.services, writers=writers), settings), payloads)


def unmarked(report: str, own: Collection[str]) -> str:
    """What of it is not said to be of a document with the orders, whose ids are `own`. A report that a model wrote
    names all that it is from; an extract has the document behind each sentence, relation, and name that it alone has.
    """
    _, written, documents = report.rpartition(FROM)
    if written and not set(own).isdisjoint(documents.removesuffix(".").split(", ")):
        return ""
    marks = tuple(f"({id_})" for id_ in own)
    told, _, listed = report.partition(" Names: ")
    names, _, relations = listed.partition(" Relations: ")
    sentences = re.sub(rf"(?:(?!\({re.escape(GOOD)}\)).)*({'|'.join(map(re.escape, marks))})", "", told)
    items = [*names.split(", "), *relations.split("; ")]
    return "\n".join([sentences, *(one for one in items if not one.removesuffix(".").endswith(marks))])


def _of_tools(services: Services, payloads: Sequence[str], own: Collection[str]) -> Iterator[str]:
    """Names that are shown with a passage of another document are followed by the one that they are from; a path (seed
    000's form has no documents) stands beside the sentences that it was read from, with theirs."""
    query, marks = encode_query(QUESTIONS[0], (), services.encoder), "|".join(re.escape(f"({id_})") for id_ in own)
    of_others = partial(re.compile(rf"(?:“[^”]+”|[^,;“]+) (?:{marks})").sub, "")
    for name, tool in services.tools.items():
        found = tool.search(query, 10)
        beside = [one for one in found.passages if one.document == GOOD]
        shown = [one.why if re.search(marks, one.why) else f"{one.why} {' '.join(one.path)}" for one in beside]
        told = _held([*map(of_others, shown)], payloads)
        yield from (f"{name} shows {one} beside another document" for one in told)
        yield from (f"{name} notes {one}" for one in _held([*map(of_others, found.notes)], payloads))


def _of_turns(assistant: Assistant, payloads: Sequence[str]) -> Iterator[str]:
    for question in QUESTIONS:
        *events, turn = assistant.ask("t", question)
        assert isinstance(turn, Turn)
        claims = turn.answer.claims
        quoted = {after.text for before, after in pairwise(claims) if before.text in NOTICES}
        said = [claim.text for claim in claims if claim.text not in quoted]
        shown = ["".join(getattr(event, "text", "") for event in events)] if turn.model else []
        yield from (f"'{question}' is answered with a link: {one}" for one in [*said, *shown] if _LINK.search(one))
        yield from (f"'{question}' is answered with {one}" for one in _held([*said, *shown], payloads))
        wanted = [wording.text for call in turn.calls if call.by_model for wording in call.wordings]
        yield from (f"'{question}' searches {one}" for one in _held(wanted, payloads))
        yield from (f"'{question}' is rewritten with {one}" for one in _held([turn.rewritten], payloads))
    services = assistant.services
    remembered, _ = services.threads.sentences("t", services.encoder.hash)
    yield from (f"the thread remembers {one}" for one in _held([one.text for one in remembered], payloads))


def _held(texts: Sequence[str], payloads: Sequence[str]) -> list[str]:
    return [one for one in payloads if any(one.casefold() in text.casefold() for text in texts)]


def obeying(payloads: Sequence[str]) -> ScriptedWriter:
    """Says, links, shows, searches and extracts the first payload that is anywhere in what it was sent."""

    def reply(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
        sent = "\n".join(message.text for message in messages)
        wanted = next(iter(_held([sent], payloads)), "")
        if schema and "calls" in schema["properties"]:
            return json.dumps({"calls": [{"tool": "hybrid", "query": wanted}] if wanted else []})
        if schema:
            triple = {"subject": wanted, "relation": "is", "object": "Moon"}
            entities = [{"name": name, "type": "name"} for name in ("Moon", wanted) if name]
            return json.dumps({"entities": entities, "triples": [triple] if wanted else []})
        if not wanted:
            return "The Moon is grey [1]."
        evil = "https://evil.example"
        return f"{wanted}, see [this]({evil}/?q=1) ![x]({evil}/p.png) {evil}/x [1]."

    return ScriptedWriter(reply, window=8000)
