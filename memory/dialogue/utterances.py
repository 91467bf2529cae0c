"""The sentences of a conversation (seed 003): user turns as a whole, answers by sentence, without filler; and tidying a
line that was written as a question (step 5).

Also questions back, "Which of these do you mean: The Sun; or The Moon?", and replies that choose: "the second one",
"the Moon one"."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template

from clew.memory.datatypes import Sentence, Utterance
from clew.memory.text import compiled_patterns, content_words, lines_by_language, read_patterns, split

FEWEST_WORDS = 3
"""Words that a phrase of an answer needs to be kept."""

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""A letter of a script that has no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""

_CITATION = re.compile(r"\s*\[\d+(?:\s*[,;]\s*\d+)*\]")
_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_TABLE = read_patterns(Path(__file__).with_name("filler.txt"))
_CLAUSE_END = re.compile(rf"[,;:](?=\s)|[.!?…]+(?=\s|$)|\s[-\u2013\u2014]+\s|\u2014|\b(?:{_TABLE['contrast']})\b")
_FILLER = re.compile(_TABLE["alternatives"])
"""A complete clause of filler, in lower case and without apostrophes."""


def extract(utterances: Sequence[Utterance], first_turn: int = 1) -> list[Sentence]:
    """The sentences in the order last said, none twice. A user's utterance begins a turn, the first being `first_turn`;
    an agent's belongs to the turn that it answers."""
    sentences: list[Sentence] = []
    turn = first_turn - 1
    for utterance in utterances:
        turn += utterance.speaker == "user"
        whole = " ".join(utterance.text.split())
        texts = filter(None, [whole]) if utterance.speaker == "user" else answer_sentences(utterance.text)
        sentences.extend(Sentence(text, utterance.speaker, max(turn, first_turn)) for text in texts)
    return unique(sentences)


def unique(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences without those that are repeated later (in any case and spacing): what was said last is what the
    conversation is about."""
    last: dict[str, Sentence] = {}
    for sentence in sentences:
        last[same_words(sentence.text)] = sentence.said_after(last.pop(same_words(sentence.text), None))
    return list(last.values())


def same_words(text: str) -> str:
    """Equal for texts that differ only in case and spacing."""
    return " ".join(text.casefold().split())


def answer_sentences(text: str) -> Iterator[str]:
    """The sentences of an answer that say something: without citations, list marks, filler and phrases under 3 words.
    Very short list items are joined to one sentence."""
    bare = _CITATION.sub("", text)
    items: list[str] = []
    for start, end in split(bare):
        line = " ".join(bare[start:end].split())
        sentence = _LIST_MARK.sub("", line)
        if words_of(sentence) < FEWEST_WORDS:
            items += [sentence.rstrip(".,;")] if sentence != line else []
        elif not is_filler(sentence):
            yield sentence
    if len(items) > 1:
        yield f"{', '.join(items)}."


def words_of(text: str) -> int:
    """The number of words; in scripts without spaces, of letters."""
    return max(len(text.split()), len(_UNSPACED.findall(text)))


def is_filler(sentence: str) -> bool:
    """Whether every clause is a courtesy, an acknowledgement or "I do not know"."""
    plain = re.sub("['\u2019`]", "", sentence.casefold())
    clauses = (clause.strip(' \t\n"\u201c\u201d()*') for clause in _CLAUSE_END.split(plain))
    return all(_FILLER.fullmatch(clause) for clause in clauses if clause)


_QUESTION_START = compiled_patterns(Path(__file__).with_name("question_start.txt"))["alternatives"]
_PHRASES = compiled_patterns(Path(__file__).with_name("phrases.txt"))
_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f][\"'\u201d\u2019)\]]*$")
"""A sentence's last mark, also of Chinese and Arabic, perhaps inside a quotation or brackets."""

LAST = 40
"""Characters at the end of a line that are looked at."""

_INITIALS = re.compile(r"(?:\b\w\.){2,}(?=[?!\u2026\s]*$)")


def with_apostrophes(text: str) -> str:
    """The text with "what's" and "doesn't" for "whats" and "doesnt", which would be taken for misspelt words."""
    return _PHRASES["unmarked"].sub(lambda m: f"{m['of']}'{m['is']}" if m["is"] else f"{m['does']}{m['not']}'t", text)


def tidy(text: str) -> str:
    """The line with single spaces, a capital at the beginning, and `?` at the end if it is a question, else `.` (seed
    003, step 5)."""
    line = " ".join(text.split()).rstrip(",;:- ")
    if not line:
        return ""
    if line.split()[0].islower():  # not iPhone
        line = line[0].upper() + line[1:]
    is_ended = bool(_END.search(line[-LAST:]))
    if not asks(line):
        return f"{line}." if not is_ended else f"{line.rstrip('? ')}?" if line.endswith("?") else line
    if is_ended and not line.endswith((".", "?", "!", "\u2026")):  # Who said "to be"?
        return line
    return line.rstrip("?!.\u2026 ") + ("." if _INITIALS.search(line[-LAST:]) else "") + "?"


def asks(line: str) -> bool:
    """Whether its last sentence begins like a question."""
    start, end = split(line)[-1]
    return _QUESTION_START.match(line[start:end].strip()) is not None


MOST_CHOICES = 4
"""Choices that a question back has at most."""

LONGEST_REPLY = 12
"""Words of a reply that chooses; longer ones are questions of their own."""

_BACK = lines_by_language(Path(__file__).with_name("questions_back.txt"))
_GROUPS = {"what": "(?P<what>[^?;:]+)", "choices": "(?P<choices>.+)"}
_QUESTIONS_BACK = {
    re.compile(re.sub(r"\\\$(\w+)", lambda name: _GROUPS[name[1]], re.escape(text))): key.rpartition(" ")[2]
    for key, text in _BACK.items()
    if "$choices" in text
}
"""The patterns of questions back with choices, each with its language."""
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}


def clarifying_question(what: str, choices: Sequence[str], language: str = "en") -> str:
    """The question back in a language, English where the table has no other; `what` is the noun that is unclear, or
    empty. Of one choice or none it is an open one."""
    kind, language = "these" if len(choices) > 1 else "one", language if f"or, {language}" in _BACK else "en"
    named = (f"{kind} {what}, {language}", f"{kind} noun, {language}") if what else ()
    asked = next(_BACK[key] for key in (*named, f"{kind}, {language}") if key in _BACK)
    listed = f"{'; '.join(choices[:-1])}; {_BACK[f'or, {language}']} {choices[-1]}" if kind == "these" else ""
    return Template(asked).substitute(what=what, choices=listed)


def chosen(reply: str, history: Sequence[Sentence]) -> str:
    """The previous question with the choice that the reply makes; empty if the assistant did not ask back, or nothing
    is chosen. `history` is in order."""
    last = [one.text for one in history if one.speaker == "agent" and one.turn == history[-1].turn]
    each = ((pattern.search(" ".join(last)), language) for pattern, language in _QUESTIONS_BACK.items())
    found, language = next((one for one in each if one[0]), (None, ""))
    earlier = [sentence.text for sentence in history if sentence.speaker == "user"]
    if found is None or not earlier:
        return ""
    choice = _choice(reply.strip(), re.split(f"; (?:{_BACK[f'or, {language}']} )?", found["choices"]))
    return _put(earlier[-1], found.groupdict().get("what", ""), choice) if choice else ""


def _choice(reply: str, choices: Sequence[str]) -> str:
    """The choice, by its place or by words that it alone has; empty for a reply that is itself a question."""
    if place := _PHRASES["chosen place"].fullmatch(reply):
        at = _PLACES[place.lastgroup or "last"]
        return choices[at] if at < len(choices) else ""
    words = {*content_words(reply)}.difference(content_words(_PHRASES["choosing"].pattern))
    if not words or len(reply.split()) > LONGEST_REPLY or asks(reply):
        return ""
    holding = [choice for choice in choices if words <= set(content_words(choice))]
    return holding[0] if len(holding) == 1 else ""


def _put(question: str, what: str, choice: str) -> str:
    """The question with the choice in the place of "the actor", or behind it."""
    pointed = re.compile(rf"\b(?:{_PHRASES['before_it'].pattern}) {re.escape(what)}\b", re.IGNORECASE)
    if what and pointed.search(question):
        return pointed.sub(lambda _: choice, question, count=1)
    return f"{question.rstrip(' .?!')}, regarding {choice}?"


def last_sentence(text: str) -> str:
    """The last sentence of a turn with several: the question is there."""
    spans = [span for span in split(text) if len(text[slice(*span)].split()) > 1] if len(text) > SHORT else []
    return text[slice(*spans[-1])] if len(spans) > 1 else text


SHORT = 20
"""Characters of a text that is taken for a single sentence."""
