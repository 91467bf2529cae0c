"""What a reply chooses of what the assistant asked back: 'the second one', 'the Moon one' after 'Which of these do you
mean: The Sun; or The Moon?'. `clarifying_question` writes such a question, `chosen` reads the reply to it."""

import re
from collections.abc import Sequence

from clew.memory.datatypes import Sentence
from clew.memory.text import content_words

MOST = 4
"""Choices that a question back has at most."""

LONGEST = 12
"""Words of a reply that chooses; a longer one says itself what it is about."""

_QUESTION_BACK = re.compile(r"Which (?P<what>[^?;:]+) do you mean: (?P<choices>.+)\?")
_PLACES = {
    **dict.fromkeys(("first", "1", "1st", "one", "former"), 0),
    **dict.fromkeys(("second", "2", "2nd", "two"), 1),
    **dict.fromkeys(("third", "3", "3rd", "three"), 2),
    **dict.fromkeys(("fourth", "4", "4th", "four"), 3),
    **dict.fromkeys(("last", "latter"), -1),
}
_BY_PLACE = re.compile(
    r"(?:(?:i mean|i meant|yes|ok|okay|please|the|number|option|choice|no)\b[,.]? *)*"
    rf"(?P<place>{'|'.join(_PLACES)})(?: one| option| choice)?(?:,? please)?[.!]*",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can)\b", re.IGNORECASE)


def clarifying_question(what: str, choices: Sequence[str]) -> str:
    """The question back; `what` is the noun that is unclear, or empty. Of one choice or none it is an open one."""
    if len(choices) < 2:
        return f"Which {what or 'one'} do you mean?"
    return f"Which {what or 'of these'} do you mean: {'; '.join(choices[:-1])}; or {choices[-1]}?"


def chosen(reply: str, history: Sequence[Sentence]) -> str:
    """The question that was asked before, with what the reply chooses in it; empty where the assistant's last words
    were no such question, or the reply chooses nothing. `history` is in order."""
    question_back = _last_question_back(history)
    earlier = [sentence.text for sentence in history if sentence.speaker == "user"]
    if question_back is None or not earlier:
        return ""
    choice = _choice(reply.strip(), re.split(r"; (?:or )?", question_back["choices"]))
    return _put(earlier[-1], question_back["what"], choice) if choice else ""


def _last_question_back(history: Sequence[Sentence]) -> re.Match[str] | None:
    last = [s.text for s in history if s.speaker == "agent" and s.turn == history[-1].turn]
    return _QUESTION_BACK.search(" ".join(last))


def _choice(reply: str, choices: Sequence[str]) -> str:
    """By its place, or by words that it alone has; a question of its own chooses nothing."""
    if place := _BY_PLACE.fullmatch(reply):
        at = _PLACES[place["place"].casefold()]
        return choices[at] if at < len(choices) else ""
    words = set(content_words(reply)) - set(content_words("mean please option choice"))
    if not words or len(reply.split()) > LONGEST or _ASKS.match(reply):
        return ""
    holding = [choice for choice in choices if words <= set(content_words(choice))]
    return holding[0] if len(holding) == 1 else ""


def _put(question: str, what: str, choice: str) -> str:
    """In the place of 'the actor' where the question has that, else behind it."""
    pointed = re.compile(rf"\b(?:the|this|that|these|those) {re.escape(what)}\b", re.IGNORECASE)
    if pointed.search(question):
        return pointed.sub(lambda _: choice, question, count=1)
    return f"{question.rstrip(' .?!')}, regarding {choice}?"
