"""What a question asks for: the form of its answer, and how a text looks that contains the answer. English only.

The patterns are in `answer_type.txt`: for each kind of thing one for questions (`asks`) and one for texts (`holds`)."""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from clew.memory.language.telling import may_be_english
from clew.memory.text import content_words, read_patterns, split, written_words

QuestionForm = Literal["fact", "list", "steps", "yes-no", "comparison"]

LONGEST_DEFINED = 6  # words of what is defined


@dataclass(frozen=True, slots=True)
class AnswerType:
    """What a question asks for. `expected` are kinds of things: duration, money, number, time, person, name, place,
    reason. `measure` is a pattern for an amount of what is `counted` or measured ("how many eggs", "how old"), or for
    who made something; `defined` is what is to be defined, or empty. `words` are those of the question, in lower
    case."""

    form: QuestionForm
    expected: tuple[str, ...] = ()
    defined: str = ""
    measure: str = ""
    words: frozenset[str] = frozenset()
    counted: str = ""

    @property
    def of_members(self) -> bool:
        """Whether it asks who, what or which ones; not when, how many or why."""
        return self.form in ("fact", "list") and {"person", "name"}.issuperset(self.expected)

    def among(self, words: Set[str]) -> "AnswerType":
        """The same without `measure`, if the documents lack the word for what is counted: they may call pictures "412
        watercolours". `words` are their stems."""
        return replace(self, measure="") if self.counted and words.isdisjoint(content_words(self.counted)) else self

    def holds(self, texts: Iterable[str]) -> list[bool]:
        """Whether each text contains something of an expected kind; false if no kind is expected."""
        return [any(self._holds(name, text) for name in self.expected) for text in texts]

    def _holds(self, name: str, text: str) -> bool:
        found = _PATTERNS[f"holds {name}"].finditer(text)
        if name in ("person", "name"):  # another name than those of the question
            return any(match[0].casefold().removesuffix("'s") not in self.words for match in found)
        return next(found, None) is not None

    def measures(self, text: str) -> bool:
        """Whether a text contains an amount of what is measured; true if nothing is."""
        return not self.measure or bool(re.search(self.measure, text, re.IGNORECASE))


def answer_type(question: str) -> AnswerType:
    """What the last sentence of a question asks for, or the last one with a question mark."""
    sentences = [question[slice(*span)].strip() for span in split(question)]
    last = next((text for text in reversed(sentences) if text.endswith("?")), sentences[-1] if sentences else "")
    expected = tuple(name for name in _KINDS if _PATTERNS[f"asks {name}"].search(last))
    if "money" in expected:
        expected = tuple(name for name in expected if name != "number")
    definition = _PATTERNS["form definition"].match(last)
    what = _PATTERNS["at present"].sub("", definition["what"].strip()) if definition else ""
    role = (definition and definition["the"]) or _PATTERNS["owned"].search(what)
    if expected == ("person",) and what and not role and (what[0].isupper() or " " not in what):
        expected = ()  # "Who was Laika?" asks what she was, "Who was the director?" or "Lang's wife?" for a name
    what = "" if expected else what
    defined = what if 0 < len(what.split()) <= LONGEST_DEFINED else ""
    own = frozenset(written_words(question.casefold()))
    found = _PATTERNS["form counted"].search(last)
    counted = found["what"].casefold().split()[-1] if found else ""  # 'google queries' are queries
    counted = "" if _PATTERNS["not counted"].fullmatch(counted) else counted
    return AnswerType(_form(last, expected), expected, defined, _measure(last, counted), own, counted)


def asks_yes_or_no(question: str) -> bool:
    """Whether it begins as an English question does that is answered by yes or no."""
    return _PATTERNS["form yes no"].match(question) is not None


def _form(question: str, expected: tuple[str, ...]) -> QuestionForm:
    if _PATTERNS["form comparison"].search(question):
        return "comparison"
    if asks_yes_or_no(question) and may_be_english(question):  # 'Was kostete das?'
        return "yes-no"
    if _PATTERNS["form list"].search(question) and not set(expected) & {"duration", "money", "time"}:
        return "list"
    if _PATTERNS["form steps"].search(question):
        return "steps"
    return "fact"


def _measure(question: str, counted: str) -> str:
    if counted:
        stem = re.escape(counted.rstrip("s")[:7])
        return rf"(?:{_NUMBER})\w*{_FEW_WORDS}\b{stem}|\b{stem}\w*{_FEW_WORDS}(?:{_NUMBER})"
    return next((_TEXTS[f"holds {name}"] for name in _MEASURES if _PATTERNS[f"asks {name}"].search(question)), "")


_TEXTS = read_patterns(Path(__file__).with_suffix(".txt"))
_NUMBER = _TEXTS["number"]
_FEW_WORDS = r"(?:[^\w;.!?]+\w+(?:['’-]\w+)*){0,5}?[^\w;!?]*"  # between a number and what it counts
_PATTERNS = {
    name: re.compile(text, 0 if name in ("holds person", "holds name") else re.IGNORECASE)  # a name has a capital
    for name, text in _TEXTS.items()
}
_MEASURES = [name.removeprefix("asks ") for name in _TEXTS if name.startswith("asks measure")]
_KINDS = [name.removeprefix("asks ") for name in _TEXTS if name.startswith("asks ") and "measure" not in name]
