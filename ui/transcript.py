"""A conversation as a file: Markdown to read, HTML to open, JSON with all that is known of it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from clew.agent.state import TURN_JSON, Turn, TurnEvent
from clew.memory.dialogue.threads import Thread, Threads
from clew.memory.errors import BadInput
from clew.ui.plain import as_text_of_markdown as as_text
from clew.ui.plain import escaped, lies_at, one_line
from clew.ui.rendering import MARKS, badge, cited_numbers, markdown_of, marks_of, name_of, place_of, reworded

LIKED = {1: "good", -1: "bad"}
"""What a person said of an answer."""


def stored_turns(threads: Threads, thread: str) -> list[Turn]:
    """The finished turns, oldest first, read without opening a library."""
    turns, liked = zip(threads.records(thread), threads.tree(thread).path(), strict=True), threads.liked(thread)
    return [replace(TURN_JSON.validate_json(record), liked=liked.get(id_, 0)) for record, id_ in turns]


def exported(thread: Thread, turns: Sequence[Turn], ending: str) -> str:
    """As a file whose name has this ending. Raises `BadInput` for another one than `.md`, `.html`, `.json` and none."""
    written = {"": as_markdown, ".md": as_markdown, ".html": as_html, ".json": as_json}
    if ending not in written:
        raise BadInput(f"a conversation is not written as '{ending}'", "a name that ends in .md, .html or .json")
    return written[ending](thread, turns)


def known_thread(threads: Threads, name: str) -> Thread:
    """Return the thread of this id. Raises `BadInput` if there is none."""
    found = threads.get(name)
    if found is None:
        raise BadInput(f"there is no thread {name}", "clew threads")
    return found


def turn_object(turn: Turn) -> dict[str, Any]:
    """The turn as JSON, with the text of its answer as it is shown."""
    value: dict[str, Any] = TURN_JSON.dump_python(turn, mode="json")
    value["answer"] |= {"text": turn.answer.text, "refused": turn.answer.refused}
    return value


def answer_object(turn: Turn) -> dict[str, Any]:
    """What `clew ask --json` prints: the answer's text, then what it rests on and how the question was understood."""
    answer = turn.answer
    return {
        "answer": answer.text,
        "outcome": answer.outcome,
        "refused": answer.refused,
        "sources": [
            {"n": n, "title": one.title, "source": one.source, "copies": one.copies, "page": one.page, "text": one.text}
            for n in cited_numbers(answer)
            for one in [answer.sources[n - 1]]
        ],
        "unsupported": [claim.text for claim in answer.claims if claim.verdict in MARKS],
        "nearest": list(answer.nearest),
        "question": turn.question,
        "understood": turn.rewritten,
        "thread": turn.thread,
        "turn": turn.turn,
        "model": turn.model,
    }


def event_object(event: TurnEvent) -> dict[str, Any]:
    """What `clew ask --json=full` prints for an event: see docs/ask-json.md."""
    if isinstance(event, Turn):
        return {"event": "answer", **turn_object(event)}
    return {"event": type(event).__name__.lower(), **asdict(event)}


def as_json(thread: Thread, turns: Sequence[Turn]) -> str:
    """Return a conversation as JSON, with all that is stored of its turns."""
    value = {
        "thread": thread.id,
        "title": thread.title,
        "updated": thread.updated,
        "libraries": list(dict.fromkeys(turn.library for turn in turns if turn.library)),  # as they were first used
        "turns": [turn_object(turn) | {"liked": LIKED.get(turn.liked)} for turn in turns],
    }
    return escaped(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def as_markdown(thread: Thread, turns: Sequence[Turn]) -> str:
    """The conversation as Markdown. What it quotes is escaped, so that no link, image or script of a document is
    active."""
    return "\n".join([f"# {as_text(one_line(thread.title))}\n", *(_turn_markdown(turn) for turn in turns)])


def as_html(thread: Thread, turns: Sequence[Turn]) -> str:
    """The same as one page, which needs nothing else and asks for nothing."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(["link", "image"])
    page = Template((Path(__file__).parent / "templates" / "conversation.html").read_text("utf-8"))
    return page.substitute(title=escape(one_line(thread.title)), body=made.render(as_markdown(thread, turns)))


def _turn_markdown(turn: Turn) -> str:
    parts = [f"## {turn.turn}. {as_text(one_line(turn.question))}"]
    if reworded(turn):
        parts.append(f"*Understood as: {as_text(one_line(turn.rewritten))}*")
    parts.append(markdown_of(turn.answer, marks_of))
    if origin := _origin(turn):
        parts.append(f"*{as_text(origin)}*")
    parts += [_source_markdown(turn, number) for number in cited_numbers(turn.answer)]
    if turn.paths:
        parts.append("\n".join(["Walked:", "", *(f"- {as_text(one_line(path))}" for path in turn.paths)]))
    return "\n\n".join(parts) + "\n"


def _origin(turn: Turn) -> str:
    """Which model wrote the answer, what was done without a model, what the person said of it, and whether it was
    stopped before its end."""
    parts = [f"written by {turn.model}" if turn.model else "", badge(turn)]
    parts.append(f"the reader said: {LIKED[turn.liked]}" if turn.liked else "")
    parts.append("stopped before its end" if turn.answer.outcome == "stopped" else "")
    return one_line("; ".join(filter(None, parts))).replace("*", "")


def _source_markdown(turn: Turn, number: int) -> str:
    passage = turn.answer.sources[number - 1]
    title, place = as_text(name_of(passage)), as_text(place_of(passage))
    source = lies_at(passage.source).replace("`", "\u2019")
    where = [f"**{title}**", place, f"`{source}`" if source else ""]
    quote = "\n".join(f"> {line}".rstrip() for line in as_text(passage.text).strip().splitlines())
    return f"[{number}] {', '.join(part for part in where if part)}\n\n{quote}"
