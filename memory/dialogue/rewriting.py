"""The rewritten question: the wordings that are searched together, and the one that is shown.

Further wordings are added: with dates for relative ones and other ways to write them; with misspelt words
corrected; with the reference resolved as the documents speak of it. For a question in another language than the
documents: its names, numbers and words that look alike in both.

Which days `yesterday` or `last week` means stands in `relative_dates.txt`, each row with an example that is its test.
"""

import math
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, Protocol

from clew.memory.datatypes import Chunk, Hit, Recalled, Sentence, Wording
from clew.memory.dates import DAYS, MONTHS, CalendarDate, FoundDate, place_of, replaced
from clew.memory.dialogue.signals import RewriteModel, depends_on_context, recent, shipped, turn_signals, words_said
from clew.memory.dialogue.tagger import LEAVE, PREVIOUS, WHY, StandingQuestion, alternatives, stand_alone
from clew.memory.dialogue.utterances import asks, chosen, is_filler, tidy
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.language.esperanto_words import is_known
from clew.memory.language.telling import language_of, may_be_english
from clew.memory.parameters import Few, Share, Weight
from clew.memory.ports import Encoder, Message, Vocabulary, WriteOptions, Writer, text_of
from clew.memory.text import (
    FUNCTION_WORDS,
    NAMED,
    NUMBER_WORDS,
    common_words,
    compiled_patterns,
    content_word_sets,
    content_words,
    split,
    unaccented,
    word_lists,
    written_words,
)
from clew.prompts import render

# The rewritten question -----------------------------------------------------------------------------------------------

How = Literal["model", "learned"]
"""Who rewrote a question: a language model, or the learned models."""


@dataclass(frozen=True, slots=True)
class RewriteParameters:
    """How the words of the conversation are added to a question."""

    learned: RewriteModel = field(default_factory=shipped)  # the odds of each word, and the shares of the wordings
    probable: Share = 0.04  # how likely a word of the conversation has to be needed to be searched with the question
    most: Few = 10  # how many such words are searched at most
    context: Weight = 0.3  # how much the recalled sentences move the question's meaning
    back: Few = 12  # how many turns back the conversation is looked through


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A question that stands alone.

    `text` is what a person reads. `wordings` are searched, with weights that sum to 1; the first is the question as it
    was typed, or what a reply to a question back stands for. `how` says what made the text, `why` what was wrong with a
    language model's.
    """

    text: str
    wordings: tuple[Wording, ...]
    how: How = "learned"
    why: str = ""


def rewrite(
    question: str,
    recalled: Recalled,
    encoder: Encoder,
    parameters: RewriteParameters,
    writer: Writer | None = None,
    cancel: threading.Event | None = None,
) -> Rewritten:
    """The question as it can be understood alone: by the learned models, or by a language model where there is one.

    Searched are the question; the question made to stand alone (`tagger.py`), which a person reads; where it leans on
    the conversation, the question before with it; and the second with the words of the conversation that
    it needs, its vector moved towards the selected context. Their weights are those of before anything is found.
    Without a conversation the question is left alone, and so is a thank-you.
    A reply that chooses of what the assistant asked back is the question before with that in it.
    What a language model writes, where it can be used (`rewrite_by_model`), takes the place of the second; it is not
    asked where nothing says that an English question leans. Raises `Cancelled`.
    """
    question, history = " ".join(question.split()), recent(recalled.extracted, recalled.selected, parameters.back)
    alone = question if is_filler(question) or not history else chosen(question, history) or None
    if alone is not None:
        return Rewritten(tidy(alone), (Wording("question", alone, 1.0),))
    leans, turn = depends_on_context(question), turn_signals(question, history, recalled.selected, encoder)
    made = clarified(question, history, turn)
    if not content_words(made.text):
        made = StandingQuestion(question)
    model = ModelRewrite(tidy(made.text), "learned")
    if writer and (made.why or leans or not may_be_english(question)):
        model = rewrite_by_model(question, recalled.in_order, model.text, writer, cancel)
    if model.how != "learned":
        made = StandingQuestion(model.text)
    needed = _needed(made.text, history, recalled.selected, turn, parameters)
    before = "".join(_questions(history)[-1:] if leans else [])
    return Rewritten(model.text, _wordings(question, made, before, needed, parameters), model.how, model.why)


def _wordings(
    question: str,
    made: StandingQuestion,
    before: str,
    needed: Sequence[tuple[str, float]],
    parameters: RewriteParameters,
) -> tuple[Wording, ...]:
    """All wordings with their shares; equal ones are merged, and their weights added."""
    there = set(content_words(made.text))
    added = [word for word, _ in needed if there.isdisjoint(content_words(word))]
    why, shares = f"with {', '.join(added)} of the conversation" if added else made.why, parameters.learned.forms
    merged: dict[tuple[str, float], Wording] = {}
    for one in (
        Wording("question", question, shares["question"]),
        Wording("standing", made.text, shares["standing"], why=made.why),
        Wording("before", f"{before} {question}".strip(), shares["before"], why="behind the question before"),
        Wording("expanded", " ".join([made.text, *added]), shares["expanded"], parameters.context, why),
    ):
        key = one.text.casefold(), one.context
        first = merged.get(key)
        merged[key] = replace(first, weight=first.weight + one.weight) if first else one
    return tuple(merged.values())


def clarified(question: str, history: Sequence[Sentence], turn: Mapping[str, float]) -> StandingQuestion:
    """The question made to stand alone; a detail that the assistant asked for is appended to the question that it
    clarifies. `turn`: `turn_signals`."""
    made = stand_alone(question, history)
    earlier = _questions(history)
    if not turn["clarifies"] or not earlier:
        return made
    if made.why == WHY[PREVIOUS] and set(content_words(earlier[-1])) <= set(content_words(made.text)):
        return made
    return StandingQuestion(f"{earlier[-1]} {question}", "it clarifies the question before")


LONGEST = 60
"""Words at the end of an earlier turn that are used."""


def _questions(history: Sequence[Sentence]) -> list[str]:
    """The last words of what the user said before, in order: in a turn with a pasted text, the question is at the
    end."""
    said = (one.text for one in history if one.speaker == "user" and not is_filler(one.text))
    return [" ".join(text.split()[-LONGEST:]) for text in said]


def _needed(
    standing: str,
    history: Sequence[Sentence],
    selected: Sequence[Sentence],
    turn: Mapping[str, float],
    parameters: RewriteParameters,
) -> tuple[tuple[str, float], ...]:
    probable = [
        (word.text, round(parameters.learned.probability(word.signals), 4))
        for word in words_said(standing, history, selected, turn)
    ]
    probable.sort(key=lambda pair: -pair[1])
    return tuple(pair for pair in probable[: parameters.most] if pair[1] >= parameters.probable)


TEMPERATURE, TOKENS = 0.1, 200
"""Options for the language model that rewrites (seed 003, step 5)."""

MORE_WORDS = 25
"""Words that a rewritten question may have beyond twice the original."""

_CHATTER = compiled_patterns(Path(__file__).with_name("phrases.txt"))["chatter"]


@dataclass(frozen=True, slots=True)
class ModelRewrite:
    """`why` is the fault or the failure of the model, where its text was not taken."""

    text: str
    how: How
    why: str = ""


def rewrite_by_model(
    question: str,
    selected: Sequence[Sentence],
    without_model: str,
    writer: Writer,
    cancel: threading.Event | None = None,
) -> ModelRewrite:
    """The question rewritten by a language model, given the selected context (seed 003, step 5). `without_model` is the
    question rewritten without one.

    Models may answer the question, lose names, or write around it: `without_model` replaces a reply with such a fault.
    A reply that is the same has none, and neither has the question itself, by which a model calls it complete: it
    stands only if it can be understood alone. Raises `Cancelled`."""
    if not selected:
        return ModelRewrite(without_model, "learned", "there is no context")
    context = "\n".join(f"{sentence.speaker}: {neutralised(sentence.text).text}" for sentence in selected)
    messages = [Message("user", render("rewrite", said=context, question=question))]
    try:
        reply = text_of(writer.write(messages, WriteOptions(cancel=cancel, temperature=TEMPERATURE, tokens=TOKENS)))
    except ServiceUnreachable as error:
        return ModelRewrite(without_model, "learned", error.message)
    line = tidy(_line(reply))
    wrong = "" if line == without_model else fault(reply, question, selected)
    if not wrong:
        return ModelRewrite(line, "model")
    return ModelRewrite(without_model, "learned", "" if line == tidy(question) else wrong)


def fault(reply: str, question: str, selected: Sequence[Sentence]) -> str:
    """What is wrong with a model's reply; empty if nothing is."""
    line = _line(reply)
    if not line:
        return "it is empty"
    if "\n" in line or (_CHATTER.match(line) and not _CHATTER.match(question)):
        return "it is more than the question"
    if asks(tidy(question)) and not tidy(line).endswith(("?", "\uff1f", "\u061f")):
        return "it is not a question"
    if len(line.split()) > 2 * len(question.split()) + MORE_WORDS:
        return "it is too long"
    kept = set(content_words(line))
    if depends_on_context(question) and kept <= set(content_words(question)):
        return "it cannot be understood alone yet"
    if lost := [name for name in NAMED.findall(question) if not set(content_words(name)) <= kept]:
        return f"it has lost {', '.join(dict.fromkeys(lost))}"
    said = " ".join([question, *(sentence.text for sentence in selected)])
    known, parts = set(content_words(said)), set(re.findall(r"\w+", said))  # 052 of 2025-052
    new = [name for name in NAMED.findall(line) if name not in parts and not set(content_words(name)) <= known]
    if new and language_of(line) != "de":  # which has capitals on all nouns
        return f"nobody spoke of {', '.join(dict.fromkeys(new))}"
    return ""


def _line(reply: str) -> str:
    """The reply without quotation marks around it and without a label in front."""
    line = re.sub(r"^\|?(?:user|question)\|?\s*:\s*", "", reply.strip(), flags=re.IGNORECASE)
    return re.sub(r"^[\"“'](.*)[\"”']$", r"\1", line, flags=re.DOTALL).strip()


# Days counted from today ----------------------------------------------------------------------------------------------

Days = tuple[date, date]  # the first and the last of them

_RELATIVE_DATES = Path(__file__).with_name("relative_dates.txt")
_LINES = [line for line in _RELATIVE_DATES.read_text("utf-8").splitlines() if line[:1] != "#"]
_PARTS = dict(line.split(" = ") for line in _LINES if " = " in line)
_PREPOSITIONS = _PARTS["prepositions"].split()


def _rows() -> Iterator[tuple[re.Pattern[str], str]]:
    """A pattern for what is said, and which days it means."""
    for said, means, *_ in (line.split(" | ") for line in _LINES if " | " in line):
        whole = re.sub(r"{(\w+)}", lambda part: _PARTS[part[1]], said)
        whole = rf"\b{whole}(?:['\u2019]s\b)?(?=\W|$)(?!\s+of\b)"
        yield re.compile(whole.replace(" ", r"\s"), re.IGNORECASE), means


_ROWS = tuple(_rows())


@dataclass(frozen=True, slots=True)
class RelativeDate:
    """`question[start:end]` stands for the days from `first` to `last`, and `text` can take its place."""

    start: int
    end: int
    first: date
    last: date
    text: str


def relative_dates(question: str, today: str) -> list[RelativeDate]:
    """The relative dates of a question in order, none within another; `today` is ISO 8601, empty if unknown."""
    found: list[RelativeDate] = []
    for pattern, means in _ROWS if today else ():
        for match in pattern.finditer(question):
            if all(match.end() <= other.start or other.end <= match.start() for other in found):
                days = _days_of(match, means, date.fromisoformat(today))
                found.append(RelativeDate(*match.span(), *days, _in_place(match, days)))
    return sorted(found, key=lambda one: one.start)


def dated(question: str, today: str, *, but_today: bool = False) -> str:
    """The question with dates in place of relative ones; `but_today`: "today" stays, as it may mean nowadays."""
    kept = date.fromisoformat(today) if but_today and today else None
    found = (one for one in relative_dates(question, today) if one.first != kept)
    return replaced(question, (((one.start, one.end), one.text) for one in found))


def days_text(first: date, last: date) -> str:
    """`21 November 2026`, `16 to 22 November 2026`, `November 2026`, `2026`."""
    if (first, last) == _moved("year", first, 0):
        return str(first.year)
    begin, end = (CalendarDate(day.year, day.month, day.day) for day in (first, last))
    if (first, last) == _moved("month", first, 0):
        return replace(begin, day=0).text
    if (first.year, first.month) == (last.year, last.month):
        return FoundDate(0, 0, begin, last=end if last > first else None).text
    return f"{begin.text} to {end.text}"


def _in_place(match: re.Match[str], days: Days) -> str:
    """The dates with a preposition where there was none."""
    text = days_text(*days)
    if match[0].endswith(("'s", "\u2019s")):
        return f"the {text}"
    before = match.string[: match.start()].casefold().split()
    if before and before[-1] in _PREPOSITIONS:
        return text
    return f"{'on' if days[0] == days[1] else 'from' if ' to ' in text else 'in'} {text}"


def _days_of(match: re.Match[str], means: str, now: date) -> Days:
    """The days that `means` stands for."""
    part = {name: (said or "").casefold() for name, said in match.groupdict().items()}
    which, unit, count = part.get("which", ""), part.get("unit", ""), _count(part.get("count", ""))
    if means == "unit":
        return _moved(unit, now, {"this": 0, "next": 1}.get(which, -1))
    if means == "weekday":
        return _moved("day", now, _nearest(place_of(part["day"], DAYS) - now.weekday(), 7, which))
    if means == "month":
        return _moved("month", now, _nearest(1 + place_of(part["month"], MONTHS) - now.month, 12, which))
    if means.startswith("day "):
        unit, count = "day", int(means[4:])
    elif means != "ahead":
        count = -count
    first, last = _moved("day", now, 7 * count) if unit == "week" else _moved(unit, now, count)
    return (first, now) if means == "up to today" else (first, last)


def _count(said: str) -> int:
    """The number: 1 for `a`, 2 for `a couple of`, 3 for `a few`."""
    if said in NUMBER_WORDS or said.isdigit():
        return NUMBER_WORDS.index(said) if said in NUMBER_WORDS else int(said)
    return 1 if said in ("a", "an") else 3 if "few" in said else 2


def _nearest(away: int, cycle: int, which: str) -> int:
    """The distance to the next or the last of what recurs after `cycle`, and is `away` from now this time."""
    return {"this": away, "next": away % cycle or cycle}.get(which, -(-away % cycle or cycle))


def _moved(unit: str, now: date, by: int) -> Days:
    """The day, week, weekend, month or year that is so many of them from today's."""
    if unit == "day":
        return (now + timedelta(by),) * 2
    if unit == "year":
        return date(now.year + by, 1, 1), date(now.year + by, 12, 31)
    if unit == "month":
        first, after = (date(now.year + at // 12, at % 12 + 1, 1) for at in (now.month - 1 + by, now.month + by))
        return first, after - timedelta(1)
    monday = now + timedelta(7 * by - now.weekday())
    return monday + timedelta(5 if unit == "weekend" else 0), monday + timedelta(6)


# Further wordings -----------------------------------------------------------------------------------------------------

DATED, SPELLING = "dated", "spelling"

REAL = 0.25
"""The share of the question's weight for a wording in which a correct word is replaced; for a misspelt one it is a
half."""

LONG_NAME = 7
"""Letters from which a name may be taken for another one."""

ASKING = compiled_patterns(Path(__file__).with_name("phrases.txt"))["asking"]
"""How an English request begins: words that no document needs to have."""

MOST_SLIPS = 2
"""Words of a question that may be corrected; if more are unknown, it is in another language or about something else."""


WAYS, HITS = 10, 5
"""Likely edits that are tried, and the passages in which each is looked up."""

FAR = math.exp(-3.5)
"""How likely an edit must be, relative to the likeliest, to be tried."""


class Finder(Protocol):
    """What `with_evidence` asks of a library: hits by key words, and the chunks of their ids."""

    def keyword_search(self, queries: Sequence[str], k: int) -> list[list[Hit]]: ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


def with_evidence(made: Rewritten, history: Sequence[Sentence], store: Finder) -> Rewritten:
    """The question made to stand alone as the documents speak of it: if no sentence (with its title) has all words of
    the likeliest edit, the likely edit with most words that one sentence has. An edit has to add a word to the
    question."""
    question, standing = made.wordings[0].text, next((one for one in made.wordings if one.name == "standing"), None)
    own = frozenset(content_words(question))
    if standing is None or made.how != "learned":
        return made
    ways = alternatives(question, history, WAYS)
    likely = [one.text for one in ways if one.edits.mode != LEAVE and one.probability >= FAR * ways[0].probability]
    texts = list(dict.fromkeys([standing.text, *likely]))
    words = dict(zip(texts, content_word_sets(texts), strict=True))
    hits = store.keyword_search(texts, HITS)
    chunks = store.chunks(list(dict.fromkeys(hit.chunk for found in hits for hit in found)))
    sentences = [f"{chunk.title} {chunk.text[start:end]}" for chunk in chunks for start, end in split(chunk.text)]
    held = content_word_sets(sentences)
    whole = [text for text in texts if words[text] and own <= words[text] and any(words[text] <= one for one in held)]
    whole = [text for text in whole if text == standing.text or own < words[text]]
    if not whole or standing.text in whole:
        return made
    best = max(whole, key=lambda text: len(words[text]))
    wordings = (replace(one, text=one.text.replace(standing.text, best)) for one in made.wordings[1:])
    return replace(made, text=tidy(best), wordings=(made.wordings[0], *wordings))


def with_dates(made: Rewritten, today: str) -> Rewritten:
    """Every wording but the question as it is has dates in the place of what counts from `today`, but for the word
    'today', which may mean nowadays. The question with all of these dates is a wording of its own and shares its
    weight."""
    question, *others = made.wordings
    wordings = (question, *(replace(one, text=dated(one.text, today, but_today=True)) for one in others))
    made = replace(made, text=dated(made.text, today, but_today=True), wordings=wordings)
    found = relative_dates(question.text, today)
    why = ", ".join(f"'{question.text[one.start : one.end]}' is {days_text(one.first, one.last)}" for one in found)
    return beside(made, Wording(DATED, dated(question.text, today), question.weight / 2, why=why)) if why else made


def with_spelling(made: Rewritten, vocabulary: Vocabulary, encoder: Encoder) -> Rewritten:
    """A question with words that the library lacks, and that are spelt nearly like one that it has, has a wording with
    those. Where that is a slip and no word (the encoder knows it only in pieces), it stands in the other wordings too;
    none does in another language than English, whose words the encoder has only in pieces. Words of Esperanto with
    known roots are no slips.
    """
    question, *others = made.wordings
    taken = _taken(question.text, vocabulary)
    if made.text != question.text:  # a slip of an earlier turn
        taken = _taken(made.text, vocabulary) | taken
    foreign = not may_be_english(question.text)
    if language_of(question.text) == "eo":
        taken = {word: other for word, other in taken.items() if not is_known(word)}
    if not taken:
        return made
    names = set(NAMED.findall(f"{question.text}\n{made.text}"))
    pieces = dict(zip(taken, encoder.tokens([word.casefold() for word in taken]), strict=True))
    slips = {
        word: other
        for word, other in taken.items()
        if len(pieces[word]) > 1 and not foreign and (word not in names or _slip(word, other))
    }
    taken = slips or taken  # what is a word is taken for another only where nothing else is
    why = ", ".join(
        f"'{word}' {'is taken' if slips else 'may be meant'} for '{other}'" for word, other in taken.items()
    )
    wordings = (question, *(replace(one, text=_respelt(one.text, slips)) for one in others))
    made = replace(made, text=_respelt(made.text, slips), wordings=wordings)
    share = question.weight * (0.5 if slips else REAL)
    return beside(made, Wording(SPELLING, _respelt(question.text, taken), share, why=why))


def offered(text: str, wordings: Sequence[Wording]) -> str:
    """The question `text` with the library's words in place of unknown names; empty if nothing changes."""
    of = {wording.name: wording.text for wording in wordings}
    said, spelt = (re.findall(r"[^\W\d_]+", of.get(name, "")) for name in ("question", SPELLING))
    pairs = zip(said, spelt, strict=bool(spelt))
    other = {word: one for word, one in pairs if word[0].isupper()}  # no manor of a mayor
    made = _respelt(text, other)
    return made if made != text else ""


def _taken(question: str, vocabulary: Vocabulary) -> dict[str, str]:
    """The words that the library lacks, each with the likeliest word that it has; as written."""
    own = ASKING.sub("", question, count=1)
    said = list(dict.fromkeys(word for word in written_words(own) if word.casefold() not in FUNCTION_WORDS))
    lacking = [word for word, count in zip(said, vocabulary.counts(said), strict=True) if not count]
    if len(lacking) > MOST_SLIPS and 2 * len(lacking) > len(said):
        return {}
    asked = [word for word in lacking if word.isalpha() and not word.isupper()]
    near = zip(asked, vocabulary.near(asked), strict=True)
    likely = {word: others[0] for word, others in near if others and _is_likely(word, others[0])}
    taken = {word: other.capitalize() if word[0].isupper() else other for word, other in likely.items()}
    return dict(list(taken.items())[:MOST_SLIPS])


def _is_likely(word: str, other: str) -> bool:
    """Whether it can be a slip. Very common words are only misspelt by one letter missing or doubled ("does" is not
    "docs")."""
    return other not in FUNCTION_WORDS or len(word) != len(other) or sorted(word.casefold()) == sorted(other)


def _slip(name: str, other: str) -> bool:
    """Whether a name is the other one without accents, with a letter too many or too few, or two letters swapped. With
    another letter it may be another name: Kowalska is not Kowalski."""
    if unaccented(name) == unaccented(other):
        return True
    same_letters = sorted(name.casefold()) == sorted(other)
    return len(name) >= LONG_NAME and (same_letters or abs(len(name) - len(other)) == 1)


def _respelt(text: str, taken: Mapping[str, str]) -> str:
    return re.sub(r"[^\W\d_]+", lambda match: taken.get(match.group(), match.group()), text)


def beside(made: Rewritten, added: Wording) -> Rewritten:
    """Adds a wording behind the question, which gives it the weight, unless one has the same text."""
    if added.text in (wording.text for wording in made.wordings):
        return made
    question, *others = made.wordings
    own = replace(question, weight=question.weight - added.weight)
    return replace(made, wordings=(own, added, *others))


COGNATES = "cognates"

EVEN, LESS = 0.5, 0.45
"""The share of the question's weight for a wording of such words alone (docs/figures.md). With a half they stand for
the question when it is judged: there have to be `FEWEST`, and a `THIRD` of its words."""

FEWEST, THIRD = 2, 1 / 3
"""Such words, and their share of the question's words."""

SHORTEST, LONG = 5, 7
"""Letters of a word whose ending may differ, and of one that may be spelt differently."""

_LISTS = word_lists(Path(__file__).with_name("cognates.txt"))
_ENDINGS = [tuple(pair.split(">")) for pair in _LISTS["endings"]]


def with_cognates(made: Rewritten, language: str, held: str, vocabulary: Vocabulary) -> Rewritten:
    """Adds a wording of the words that the library has, if the question is in another language."""
    if not language or not held or language == held:
        return made
    question = made.wordings[0]
    own = own_words(question.text, language)
    taken = cognates(own, vocabulary)
    if not taken:
        return made
    share = EVEN if len(taken) >= max(FEWEST, THIRD * len(own)) else LESS
    text = " ".join(dict.fromkeys(taken.values()))
    alike = ", ".join(f"{word} as {other}" for word, other in taken.items() if word.casefold() != other.casefold())
    why = f"names, numbers and words that look alike: {alike or text}"
    return beside(made, Wording(COGNATES, text, question.weight * share, why=why))


def own_words(question: str, language: str) -> list[str]:
    """The words of a question without the most common ones of its language and what is tied to them: `heure` of
    `l'heure`, `parle` of `parle-t-il`; numbers stay whole."""
    numbers = [number for number in _NUMBER.findall(question) if len(number) > 1]
    said = (_TIED.sub("", word.replace("’", "'")) for word in written_words(_NUMBER.sub(" ", question)))
    own = (word for word in said if len(word) > 1 and language not in common_words().get(unaccented(word), ()))
    return list(dict.fromkeys([*own, *numbers]))


_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:/-]\d+)*(?!\w)")
_TIED = re.compile(rf"^.*'|-(?:t-)?(?:{'|'.join(_LISTS['tied'])})$")


def cognates(words: Sequence[str], vocabulary: Vocabulary) -> dict[str, str]:
    """The words that the library has too, each as the library writes it."""
    forms = [_forms(word) for word in words]
    flat = [form for of_word in forms for form in of_word]
    counts = dict(zip(flat, vocabulary.counts(flat), strict=True))
    near = dict(zip(flat, vocabulary.near(flat), strict=True))
    taken: dict[str, str] = {}
    for word, of_word in zip(words, forms, strict=True):
        if held := next((form for form in of_word if counts[form]), ""):
            taken[word] = held
        elif len(word) >= LONG and (alike := next((near[form][0] for form in of_word[:2] if near[form]), "")):
            taken[word] = alike
    return taken


def _forms(word: str) -> list[str]:
    """The word as it is, without accents, and with English endings."""
    plain = unaccented(word)
    made = [
        plain.removesuffix(unaccented(end)) + english for end, english in _ENDINGS if plain.endswith(unaccented(end))
    ]
    long = [form for form in made if len(form) >= SHORTEST]
    return list(dict.fromkeys([word, plain, *long])) if len(word) >= SHORTEST and not word.isupper() else [word]
