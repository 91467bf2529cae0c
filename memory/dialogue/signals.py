"""How a question refers to its conversation: whether it depends on that, by patterns of English (a question in another
language never does); signals of the whole turn, and of each word said before; and the linear model over the latter.

`depends_on_context` looks for pronouns, demonstratives and ellipses that refer to what was said before; `unnamed` for
nouns that the question uses as if they were known ("the actor", "this library"). `context_dependence.txt` has the words
and the patterns. `terms` gives the odds that the question needs a word of the conversation to stand alone; `forms` are
the weights of the wordings before anything is found. They are in `learned.json`, made by `make train`."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Sentence, Vector
from clew.memory.parameters import Logit
from clew.memory.ports import Encoder
from clew.memory.text import compiled_patterns, content_words, read_patterns, stems_and_words, words

# What a question lacks ------------------------------------------------------------------------------------------------

_WORD = re.compile(r"\w+|[,;.?!]")
_MARKS = frozenset(",;.?!")
_TABLE = read_patterns(Path(__file__).with_name("context_dependence.txt"))
_PERSONAL, _POINTING, _FUNCTION, _SAYS_WHICH, _KNOWN_TO_ALL = (
    frozenset(_TABLE[name].split("|")) for name in ("personal", "pointing", "function", "says_which", "known_to_all")
)
_ASKS = frozenset(_TABLE["asks"].split("|"))
_ELLIPTICAL, _SETTLED, _POINTS = (
    [re.compile(pattern) for name, pattern in _TABLE.items() if name.startswith(kind)]
    for kind in ("elliptical ", "settled ", "points ")
)
_LOOKED_AT, _ENDS_A_PHRASE, _WITH_A_VERB = (
    re.compile(_TABLE[name]) for name in ("looked_at", "ends a phrase", "with a verb")
)

LOOKED_AT = 100
"""Words at the end of a turn that are looked at: the question is there."""


def depends_on_context(question: str) -> bool:
    """Whether a reader of this question alone would have to ask "which?" or "who?"."""
    question = " ".join(question.split()[-LOOKED_AT:])
    marked = _marked(question.replace("\u2019", "'"))
    spoken = " ".join(word for word in marked if word not in _MARKS)
    if not spoken or any(pattern.search(spoken) for pattern in _ELLIPTICAL):
        return bool(spoken)
    return any(_points_back(marked, at) for at in range(len(marked)))


def _marked(question: str) -> list[str]:
    """The words and marks of a question in lower case, with `#` before names and `=` before other words of content."""
    names = {name.casefold() for name in re.findall(r"(?<=[^\s.?!] )[A-Z]\w+", question)}
    said = (word.casefold() for word in _WORD.findall(question))
    return [word if _says_nothing(word) else f"#{word}" if word in names else f"={word}" for word in said]


def _says_nothing(word: str) -> bool:
    return word in _FUNCTION or word in _MARKS


def _points_back(marked: Sequence[str], at: int) -> bool:
    """Whether the word at this place stands for something that the question does not name."""
    if not _LOOKED_AT.fullmatch(marked[at].lstrip("=#")):
        return False
    text = " ".join((",", *marked[:at], f"<{marked[at].removeprefix('=')}>", *marked[at + 1 :], "."))
    return any(one.search(text) for one in _POINTS) and not any(one.search(text) for one in _SETTLED)


_CLARIFIES = compiled_patterns(Path(__file__).with_name("phrases.txt"))["clarifies"]
DETAIL = 14
"""Words that an answer to the assistant's question may have."""


def clarifies(question: str, asked_back: bool) -> bool:
    """Whether the turn adds a detail to the earlier question: "I mean the one in Boston", or a short statement after
    the assistant asked something."""
    first = _WORD.search(question.casefold())
    asks = question.rstrip().endswith(("?", "\uff1f")) or (first and first[0] in _ASKS)
    return bool(_CLARIFIES.match(question.strip())) or (asked_back and not asks and len(question.split()) <= DETAIL)


def has_pronoun(question: str) -> bool:
    """Return whether the question has a personal pronoun."""
    return not _PERSONAL.isdisjoint(_WORD.findall(question.casefold()))


def has_demonstrative(question: str) -> bool:
    """Return whether the question has a word that points (`this`, `those`)."""
    return not _POINTING.isdisjoint(_WORD.findall(question.casefold()))


_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
LONGEST_PHRASE = 4
"""Words of a noun phrase, without its article."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase: its noun, whether "this" or the like stands before it, and whether it has an 's."""

    noun: str
    pointing: bool
    owner: bool


def unnamed(question: str, history: Sequence[str]) -> tuple[str, ...]:
    """The nouns that the question uses as if known and that the texts of `history` do not have, those behind "this"
    first."""
    known = {_singular(word) for text in history for word in words(text)}
    found: dict[str, bool] = {}
    for phrase in _phrases(question):
        if _singular(phrase.noun.casefold()) not in known:
            found[phrase.noun] = found.get(phrase.noun, False) or phrase.pointing
    return tuple(sorted(found, key=lambda noun: not found[noun]))


def points(question: str) -> bool:
    """Whether it says "this animal" or "the actor's approach". An article alone may stand for what the documents are
    about."""
    return any(phrase.pointing or phrase.owner for phrase in _phrases(question))


def _singular(word: str) -> str:
    """The word without a final s. A stem would confuse `animal` with `animated`."""
    return word.removesuffix("s")


def _phrases(question: str) -> Iterator[_Phrase]:
    """The noun phrases with "the", "this" or the like, but not those that say themselves which one is meant."""
    tokens = _TOKEN.findall(question.replace("’", "'"))
    verb_comes = False
    for at, token in enumerate(tokens):
        verb_comes = verb_comes or _WITH_A_VERB.fullmatch(token.casefold()) is not None
        pointing = token.casefold() in _POINTING and (not at or _says_nothing(tokens[at - 1].casefold()))
        if not pointing and token.casefold() != "the":
            continue
        phrase = _run(tokens[at + 1 : at + 1 + LONGEST_PHRASE])
        following = tokens[at + 1 + len(phrase)].casefold() if at + 1 + len(phrase) < len(tokens) else ""
        if verb_comes and len(phrase) > 1:  # 'did the chain establish' ends with the verb
            phrase, verb_comes = phrase[:-1], False
        if not phrase or any(word[0].isupper() or word[0].isdigit() for word in phrase):
            continue
        owner = phrase[-1].endswith(("'s", "s'"))
        noun = re.sub(r"'s?$", "", phrase[-1])
        if noun.casefold() in _KNOWN_TO_ALL or (not pointing and not owner and following in _SAYS_WHICH):
            continue
        yield _Phrase(noun, pointing, owner)


def _run(tokens: Sequence[str]) -> list[str]:
    """The words of the noun phrase: up to a function word, a mark, an 's or a verb."""
    run: list[str] = []
    for token in tokens:
        word = token.casefold()
        if _says_nothing(re.sub(r"'s?$", "", word)) or (run and _ENDS_A_PHRASE.fullmatch(word)):
            break
        run.append(token)
        if word.endswith(("'s", "s'")):
            break
    return run


# Signals --------------------------------------------------------------------------------------------------------------

BACK = 3
"""Earlier turns whose words are considered."""

_CAPITAL = re.compile(r"(?<=\s)[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the conversation that the question does not have, as it is written there, and its signals."""

    text: str
    signals: Mapping[str, float]


def turn_signals(
    question: str, history: Sequence[Sentence], selected: Sequence[Sentence], encoder: Encoder
) -> dict[str, float]:
    """The signals of a question by name; `history` are the sentences before it, `selected` the context that MMR chose
    of them.

    `last_turn` and `last_question` are the highest cosines of the question with what was said in the previous turn,
    `context` the cosine with the mean of the selected sentences, `said_before` the share of its words that were said
    before."""
    said, last_turn = recent(history, selected, BACK), _last_turn(history)
    last = [sentence for sentence in said if sentence.turn == last_turn]
    vector = encoder.encode([question], "sentence")[0]
    stems = set(content_words(question))
    before = {stem for sentence in said for stem in content_words(sentence.text)}
    mean = mean_vector(selected, encoder)
    return {
        "leans": float(depends_on_context(question)),
        "pronoun": float(has_pronoun(question)),
        "clarifies": float(clarifies(question, asked_back(history))),
        "capital": float(bool(_CAPITAL.search(question))),
        "words": math.log1p(len(question.split())),
        "said_before": len(stems & before) / max(1, len(stems)),
        "last_turn": _nearest(vector, last, encoder),
        "last_question": _nearest(vector, [one for one in last if one.speaker == "user"], encoder),
        "context": 0.0 if mean is None else float(mean @ vector),
    }


def words_said(
    question: str, history: Sequence[Sentence], selected: Sequence[Sentence], turn: Mapping[str, float]
) -> list[Word]:
    """The words that the question may need, in the order said; `turn` are its `turn_signals`."""
    known = set(content_words(question))
    where: dict[str, list[Sentence]] = defaultdict(list)
    surface: dict[str, str] = {}
    for sentence in recent(history, selected, BACK):
        for position, (stem, word) in enumerate(stems_and_words(sentence.text)):
            if stem in known or len(word) < 2:
                continue
            where[stem].append(sentence)
            is_name = position > 0 and word[0].isupper()  # the first word has its capital from the sentence
            if stem not in surface or (is_name and surface[stem][0].islower()):
                surface[stem] = word
    last, context = _last_turn(history), {sentence.text for sentence in selected}
    opening = next((one for one in history if one.turn == last and one.speaker == "agent"), None)
    each = ((surface[stem], _word_signals(found, last, opening, context)) for stem, found in where.items())
    return [Word(text, {**turn, **own}) for text, own in each]


def recent(history: Sequence[Sentence], selected: Sequence[Sentence], back: int) -> list[Sentence]:
    """The sentences of the first turn, of the last `back` turns, and of the selected context: so the cost does not grow
    with the conversation."""
    last, context = _last_turn(history), {sentence.text for sentence in selected}
    return [one for one in history if one.turn > last - back or one.turn == 1 or one.text in context]


def _last_turn(history: Sequence[Sentence]) -> int:
    return max((sentence.turn for sentence in history), default=0)


def asked_back(history: Sequence[Sentence]) -> bool:
    """Whether the last words of the assistant were a question."""
    last = [sentence for sentence in history if sentence.speaker == "agent"][-1:]
    return bool(last) and last[0].turn == history[-1].turn and last[0].text.rstrip().endswith("?")


def mean_vector(sentences: Sequence[Sentence], encoder: Encoder) -> Vector | None:
    """The mean direction of all sentences, (d,), of unit length; None if there are none, or they cancel out."""
    if not sentences:
        return None
    mean = encoder.encode([sentence.text for sentence in sentences], "sentence").mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length, np.float32) if length > 1e-6 else None


def _word_signals(
    sentences: Sequence[Sentence], last_turn: int, opening: Sentence | None, context: Set[str]
) -> dict[str, float]:
    """The signals of a word in these sentences; `opening` is the first sentence of the last answer, `context` are the
    texts of the selected ones."""
    last = [sentence for sentence in sentences if sentence.turn == last_turn]
    return {
        "in_last_question": float(any(sentence.speaker == "user" for sentence in last)),
        "in_last_answer": float(any(sentence.speaker == "agent" for sentence in last)),
        "opens_last_answer": float(opening in last),
        "in_first_question": float(any(sentence.turn == 1 and sentence.speaker == "user" for sentence in sentences)),
        "in_context": float(any(sentence.text in context for sentence in sentences)),
        "turns": math.log1p(len({sentence.turn for sentence in sentences})),
    }


def _nearest(vector: Vector, sentences: Sequence[Sentence], encoder: Encoder) -> float:
    """The highest cosine with these sentences; 0 if there are none."""
    if not sentences:
        return 0.0
    return float((encoder.encode([sentence.text for sentence in sentences], "sentence") @ vector).max())


SHIPPED = Path(__file__).with_name("learned.json")


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear model over signals by name."""

    intercept: Logit
    weights: Mapping[str, float]

    def of(self, signals: Mapping[str, float]) -> float:
        """Raises `KeyError` for a signal that is not there."""
        return self.intercept + sum(weight * signals[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class RewriteModel:
    """`terms` scores words of the conversation; `forms` are the shares of the wordings by name."""

    terms: Linear
    forms: Mapping[str, float]

    def probability(self, signals: Mapping[str, float]) -> float:
        """The probability that the question needs the word with these signals."""
        return 1 / (1 + math.exp(-self.terms.of(signals)))


@cache
def shipped() -> RewriteModel:
    """The one that comes with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return RewriteModel(Linear(**values["terms"]), values["forms"])
