"""The question made to stand alone by a learned edit tagger: which of its words go, where a span of the conversation
comes in, and behind which connecting word.

Incomplete utterances rewritten by tagging (Liu et al. 2020, arXiv:2009.13166; Hao et al. 2021, arXiv:2012.14710; Jin
et al. 2022, AAAI 36: HCT). The question and what was said before it are read at once by the packaged encoder, the lower
layers of which are shared and the upper ones fitted for this. What is edited is the question, or the question before
it, where the new one only names another part of that: 'and for pupils?'.

First the edits: the input of the model, what an edit can change, and the most likely edit by its probabilities. Then
the model.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clew.memory.datatypes import Sentence, Vector, Vectors
from clew.memory.dialogue.utterances import is_filler, last_sentence
from clew.memory.encoding import packaged_minilm
from clew.memory.language.telling import may_be_english
from clew.memory.minilm import BEGIN, END, MiniLM, gelu, tokenizer_of
from clew.memory.text import FUNCTION_WORDS, Span

# Edits ----------------------------------------------------------------------------------------------------------------

ASKED, LAST, ANSWER, BEFORE, ITS_ANSWER, EARLIER = range(6)
"""The kinds of segments of the input: the question, the last question and its answer, the one before and its answer,
and earlier ones."""

PIECES = 160
"""Word pieces of an input at most."""

MOST_PIECES = {ASKED: 48, LAST: 40, ANSWER: 56, BEFORE: 32, ITS_ANSWER: 28, EARLIER: 24}
"""Word pieces of a segment of each kind at most."""

LEAVE, THIS, PREVIOUS = range(3)
"""The modes: nothing is edited, the question is, or the previous question is."""

LONGEST_SPAN = 20
"""Words that are inserted at one place at most."""

SLOTS = 2
"""Spans that can be inserted at one gap."""

WORD = re.compile(r"['\u2019]s\b|[^\W_]+|[^\w\s]|_+")
_ENDS = " \t\n?!.,;\u2026"


class InputWord(NamedTuple):
    """A word: `span` in the text of its segment; the numbers of its first and last word piece in the input."""

    segment: int
    span: Span
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class TaggerInput:
    """The input of the model. `kinds` of its segments; `ids` and `roles` of its word pieces, a role being the kind of
    the segment."""

    texts: tuple[str, ...]
    kinds: tuple[int, ...]
    words: tuple[InputWord, ...]
    ids: tuple[int, ...]
    roles: tuple[int, ...]

    def of(self, segment: int) -> list[int]:
        """The numbers of its words."""
        return [number for number, word in enumerate(self.words) if word.segment == segment]

    @property
    def bases(self) -> dict[int, list[int]]:
        """For each mode the words that are edited."""
        places = {THIS: 0, **({PREVIOUS: self.kinds.index(LAST)} if LAST in self.kinds else {})}
        made = {mode: self.of(segment) for mode, segment in places.items()}
        return {mode: of for mode, of in made.items() if of and self._is_whole(of[-1])}

    def _is_whole(self, last: int) -> bool:
        """Whether the segment that ends with this word is complete."""
        word = self.words[last]
        return word.span[1] >= len(self.texts[word.segment].rstrip(")]\"'\u201d\u2019*` "))

    def text(self, first: int, last: int) -> str:
        """The text from one word to another of the same segment."""
        of, to = self.words[first], self.words[last]
        return self.texts[of.segment][of.span[0] : to.span[1]]


def read(question: str, before: Sequence[tuple[str, str]], tokenizer: Any) -> TaggerInput:
    """The input. `before`: earlier questions, each made to stand alone, with their answers, oldest first."""
    segments = [(ASKED, bare(question))]
    for back, (asked, answer) in enumerate(reversed(before)):
        kinds = [(LAST, ANSWER), (BEFORE, ITS_ANSWER)][back] if back < 2 else (EARLIER, -1)
        segments += [(kind, text) for kind, text in zip(kinds, (bare(asked), answer.strip()), strict=True) if text]
    segments = [(kind, text) for kind, text in segments if kind >= 0]
    encodings = tokenizer.encode_batch([text for _, text in segments], add_special_tokens=False)
    ids, roles = [BEGIN], [ASKED]
    words: list[InputWord] = []
    kept: list[tuple[int, str]] = []
    for (kind, text), encoding in zip(segments, encodings, strict=True):
        room = min(MOST_PIECES[kind], PIECES - len(ids) - 1)
        if room < 3:
            continue
        pieces, offsets = encoding.ids[:room], encoding.offsets[:room]
        words += _words(text, offsets, len(kept), len(ids))
        ids += [*pieces, END]
        roles += [kind] * (len(pieces) + 1)
        kept.append((kind, text))
    return TaggerInput(
        tuple(text for _, text in kept), tuple(kind for kind, _ in kept), tuple(words), tuple(ids), tuple(roles)
    )


def bare(text: str) -> str:
    """The text without punctuation at its end."""
    return " ".join(text.split()).rstrip(_ENDS)


def _words(text: str, offsets: Sequence[Span], segment: int, first: int) -> Iterator[InputWord]:
    """The words of which all word pieces are in the input; `offsets` are those of the pieces, `first` is the number of
    the first."""
    place = 0
    for match in WORD.finditer(text):
        start, end = match.span()
        while place < len(offsets) and offsets[place][1] <= start:
            place += 1
        last = place
        while last + 1 < len(offsets) and offsets[last + 1][0] < end:
            last += 1
        if place < len(offsets) and offsets[place][0] < end and offsets[last][1] >= end:
            yield InputWord(segment, (start, end), first + place, first + last)


class Insert(NamedTuple):
    """Inserts a span of words of the input, with a text before and one behind it, in front of the word at `gap` or at
    the end."""

    gap: int
    prefix: str
    first: int
    last: int
    suffix: str


@dataclass(frozen=True, slots=True)
class Edits:
    """An edit: the places of `deleted` words, and the insertions in order."""

    mode: int
    deleted: frozenset[int] = frozenset()
    inserts: tuple[Insert, ...] = ()


def applied(reading: TaggerInput, edits: Edits) -> str:
    """The question with the edits made; what is kept stays as written."""
    if edits.mode == LEAVE:
        return reading.texts[0]
    base = reading.bases[edits.mode]
    text = reading.texts[reading.words[base[0]].segment]
    made, end = "", 0
    for place, number in enumerate([*base, None]):
        start = reading.words[number].span[0] if number is not None else len(text)
        made += text[end:start]
        end = start
        for one in edits.inserts:
            if one.gap == place:
                made = _joined(made, one.prefix)
                made = _joined(made, _spoken(reading, one, first=not made.strip()))
                made = _joined(made, one.suffix)
        if number is not None:
            end = reading.words[number].span[1]
            if place not in edits.deleted:
                kept = text[start:end]
                made = _joined(made, kept) if any(one.gap == place for one in edits.inserts) else made + kept
    made += text[end:]
    return re.sub(r"\s+([,;:?!.]|['\u2019]s\b)", r"\1", " ".join(made.split())).strip(" ,;")


def _spoken(reading: TaggerInput, insert: Insert, first: bool) -> str:
    """The span that comes in; the function word that began a sentence begins none here, unless it is the `first`."""
    text = reading.text(insert.first, insert.last) if insert.last >= insert.first else ""
    word = text.split(maxsplit=1)[:1]
    begins = bool(word) and not first and len(word[0]) > 1 and word[0].casefold() in FUNCTION_WORDS
    return text[0].lower() + text[1:] if begins else text


def _joined(text: str, more: str) -> str:
    """The two texts joined; a word that would be doubled stands once."""
    if text.split() and more.split() and text.split()[-1].casefold() == more.split()[0].casefold():
        more = more.split(maxsplit=1)[1] if len(more.split()) > 1 else ""
    if not more:
        return text
    apart = text and not text[-1].isspace() and not re.match(r"['\u2019]s?\b|[,;:.]", more)
    return f"{text}{' ' if apart else ''}{more}"


COUNTED = 3
"""Spans inserted at earlier gaps are counted as none, one, or more."""


class Scores(NamedTuple):
    """Of one mode. `mode`: the logarithm of its probability. `delete`: log odds that a word goes, shape (4, words):
    where nothing comes in before it, where the word before it goes, where something comes in, where both are so.
    `prefix`: log probabilities, shape (COUNTED, SLOTS, gaps, 1 + prefixes), the first of nothing; `suffix`: (SLOTS,
    gaps, suffixes); `start`: (SLOTS, gaps, pieces). `end`: what speaks for an end, (SLOTS, gaps, pieces), beside `tie`:
    for an end (the second) by its start, (pieces, pieces)."""

    mode: float
    delete: Vectors
    prefix: Vectors
    suffix: Vectors
    start: Vectors
    end: Vectors
    tie: Vectors


@dataclass(frozen=True, slots=True)
class Inventory:
    """Texts that come before and behind what is inserted, and what a whole edit must reach. `leave`: the probability
    that nothing is to be edited from which nothing is; `nothing`: what is taken from the logarithm of the probability
    that nothing comes in at a gap. `sure`: how likely all edits together must be, as a share of how likely none is."""

    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    leave: float = 0.5
    nothing: float = 0.0
    sure: float = 0.0


@dataclass(frozen=True, slots=True)
class Decoded:
    """The edits that a model proposes, the question with them made, and how probable the model finds them, 0 to 1."""

    edits: Edits
    text: str
    probability: float


def decoded(reading: TaggerInput, leave: float, modes: Mapping[int, Scores], inventory: Inventory) -> Decoded:
    """The most likely edit. `leave`: the probability that nothing is edited."""
    if leave >= inventory.leave or not modes:
        return Decoded(Edits(LEAVE), reading.texts[0], leave)
    mode = max(modes, key=lambda one: modes[one].mode)
    scores = modes[mode]
    total = scores.mode
    inserts: list[Insert] = []
    of_base = reading.words[reading.bases[mode][0]].segment
    for gap, slot, prefix, likely in insertions(scores.prefix, inventory.nothing):
        first, last, sure = spans_of(reading, of_base, scores.start[slot, gap], scores.end[slot, gap], scores.tie)[0]
        suffix = int(scores.suffix[slot, gap].argmax())
        total += likely + sure + float(scores.suffix[slot, gap, suffix])
        inserts.append(Insert(gap, inventory.prefixes[prefix - 1], first, last, inventory.suffixes[suffix]))
    deleted = deletions(scores.delete, {one.gap for one in inserts})
    edits = Edits(mode, frozenset(deleted), once(inserts, deleted))
    if np.exp(total) < inventory.sure * leave or (mode == THIS and not deleted and not inserts):
        return Decoded(Edits(LEAVE), reading.texts[0], leave)
    return Decoded(edits, applied(reading, edits), float(np.exp(total)))


def insertions(prefix: Vectors, nothing: float) -> list[tuple[int, int, int, float]]:
    """Gap, slot, class and log probability of what comes in, by the likeliest way through the gaps (Viterbi 1967) with
    what came in before. `prefix` as in `Scores`; `nothing` is taken from nothing's."""
    best: list[tuple[float, tuple[tuple[int, int, int, float], ...]] | None] = [(0.0, ()), None, None]
    for gap in range(prefix.shape[2]):
        after: list[tuple[float, tuple[tuple[int, int, int, float], ...]] | None] = [None] * COUNTED
        for count, way in enumerate(best):
            if way is None:
                continue
            one, other = prefix[count, 0, gap], prefix[count, 1, gap]
            made = [(count, way[0] + float(one[0]) - nothing, way[1])]
            which, second = 1 + int(one[1:].argmax()), int(other.argmax())
            worth = way[0] + float(one[which]) + float(other[second])
            found = (gap, 0, which, float(one[which]))
            more = ((gap, 1, second, float(other[second])),) if second else ()
            made.append((min(COUNTED - 1, count + 1), worth, (*way[1], found, *more)))
            for to, value, steps in made:
                known = after[to]
                if known is None or value > known[0]:
                    after[to] = value, steps
        best = after
    return list(max((way for way in best if way), key=lambda way: way[0])[1])


def deletions(odds: Vectors, gaps: Set[int]) -> list[int]:
    """The words to delete, by the likeliest way through them. `odds` as in `Scores`; `gaps` are those with
    insertions."""
    keep: tuple[float, tuple[int, ...]] | None = (0.0, ())
    gone: tuple[float, tuple[int, ...]] | None = None
    for place in range(odds.shape[1]):
        ways: dict[bool, tuple[float, tuple[int, ...]]] = {}
        for before, way in ((False, keep), (True, gone)):
            if way is None:
                continue
            log_odds = float(odds[2 * (place in gaps) + before, place])
            for goes in (False, True):
                value = way[0] - float(np.logaddexp(0, -log_odds if goes else log_odds))
                if goes not in ways or value > ways[goes][0]:
                    ways[goes] = value, (*way[1], place) if goes else way[1]
        keep, gone = ways[False], ways[True]
    return list(max(filter(None, (keep, gone)), key=lambda way: way[0])[1])


def once(inserts: Sequence[Insert], deleted: Sequence[int]) -> tuple[Insert, ...]:
    """If the same span is inserted at several gaps, only where it replaces a word, else at the first."""
    kept: list[Insert] = []
    for one in inserts:
        same = [other for other in inserts if other.last >= other.first and other[2:4] == one[2:4]]
        replacing = [other for other in same if other.gap in deleted]
        if len(same) < 2 or one in (replacing or same[:1]):
            kept.append(one)
    return tuple(dict.fromkeys(kept))


def spans_of(
    reading: TaggerInput, of_base: int, start: Vector, end: Vector, tie: Vectors
) -> list[tuple[int, int, float]]:
    """Spans of words, from one to another, no marks, outside what is edited, with how likely each is, likeliest first;
    none (0, -1) is at `[CLS]`. `tie` as in `Scores`."""
    found = [(0, -1, float(start[0] + log_softmax(end + tie[0])[0]))]
    likely = np.argsort([-start[word.first] for word in reading.words], kind="stable")[:8].tolist()
    for first in likely:
        segment = reading.words[first].segment
        if segment == of_base or not reading.text(first, first)[0].isalnum():
            continue
        ends = log_softmax(end + tie[reading.words[first].first])
        for last in range(first, min(first + LONGEST_SPAN, len(reading.words))):
            word = reading.words[last]
            if word.segment != segment:
                break
            if not reading.text(last, last)[-1].isalnum():
                continue
            found.append((first, last, float(start[reading.words[first].first] + ends[word.last])))
    return sorted(found, key=lambda span: -span[2])


BEAM, TRIED, UNLIKELY = 12, 3, 6.0
"""Partial edits that are kept at each word; prefixes and spans tried at each gap; how much less likely than no
insertion one may be."""


def likeliest(
    reading: TaggerInput, leave: float, modes: Mapping[int, Scores], inventory: Inventory, most: int
) -> list[Decoded]:
    """The `most` likely edits, likeliest first; leaving the question is one. All parts of an edit are weighed together
    (a beam search), where `decoded` takes the likeliest of each part."""
    made = {reading.texts[0]: Decoded(Edits(LEAVE), reading.texts[0], leave)}
    for mode, scores in modes.items():
        for likely, inserts in _ways_in(reading, mode, scores, inventory):
            for more, deleted in _ways_out(scores.delete, {one.gap for one in inserts}):
                edits = Edits(mode, frozenset(deleted), once(inserts, deleted))
                text, probability = applied(reading, edits), float(np.exp(scores.mode + likely + more))
                if text not in made or made[text].probability < probability:
                    made[text] = Decoded(edits, text, probability)
    return sorted(made.values(), key=lambda one: -one.probability)[:most]


def _ways_in(
    reading: TaggerInput, mode: int, scores: Scores, inventory: Inventory
) -> list[tuple[float, tuple[Insert, ...]]]:
    """The possible insertions at all gaps together, each with its log probability; for a second slot only the
    likeliest."""
    of_base = reading.words[reading.bases[mode][0]].segment

    @cache
    def filled(gap: int, slot: int, prefix: int, most: int) -> list[tuple[float, Insert]]:
        suffix = int(scores.suffix[slot, gap].argmax())
        spans = spans_of(reading, of_base, scores.start[slot, gap], scores.end[slot, gap], scores.tie)[:most]
        texts = inventory.prefixes[prefix - 1], inventory.suffixes[suffix]
        of_suffix = float(scores.suffix[slot, gap, suffix])
        return [(sure + of_suffix, Insert(gap, texts[0], first, last, texts[1])) for first, last, sure in spans]

    ways: list[tuple[float, tuple[Insert, ...]]] = [(0.0, ())]
    for gap in range(scores.prefix.shape[2]):
        after: list[tuple[float, tuple[Insert, ...]]] = []
        for value, inserts in ways:
            count = min(COUNTED - 1, len({one.gap for one in inserts}))
            one, other = scores.prefix[count, :, gap]
            after.append((value + float(one[0]), inserts))
            second = 1 + int(other[1:].argmax())
            ((worth, behind),) = filled(gap, 1, second, 1)
            likely_prefixes = 1 + np.argsort(-one[1:], kind="stable")[:TRIED]
            for prefix in likely_prefixes[one[likely_prefixes] > one[0] - UNLIKELY].tolist():
                for likely, insert in filled(gap, 0, prefix, TRIED):
                    likely += value + float(one[prefix])
                    after.append((likely + float(other[0]), (*inserts, insert)))
                    after.append((likely + float(other[second]) + worth, (*inserts, insert, behind)))
        ways = sorted(after, key=lambda way: -way[0])[:BEAM]
    return ways


def _ways_out(odds: Vectors, gaps: Set[int]) -> list[tuple[float, tuple[int, ...]]]:
    """The possible sets of deleted words, each with its log probability. `odds` as in `Scores`; `gaps` are those with
    insertions."""
    ways: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for place in range(odds.shape[1]):
        after: list[tuple[float, tuple[int, ...]]] = []
        for value, gone in ways:
            log_odds = float(odds[2 * (place in gaps) + (gone[-1:] == (place - 1,)), place])
            after.append((value - float(np.logaddexp(0, log_odds)), gone))
            after.append((value - float(np.logaddexp(0, -log_odds)), (*gone, place)))
        ways = sorted(after, key=lambda way: -way[0])[:BEAM]
    return ways[:TRIED]


def log_softmax(logits: Vectors) -> Vectors:
    """Return the logarithm of the softmax over the last axis, computed without overflow."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    made: Vectors = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return made


# The model ------------------------------------------------------------------------------------------------------------


class Tagger:
    """Safe from several threads: its arrays are only read."""

    def __init__(self, folder: Path, layers: Path, inventory: Inventory) -> None:
        from safetensors import safe_open

        opened: Any = safe_open  # is not typed
        file = opened(layers, framework="np")
        self._heads = {name: file.get_tensor(name).astype(np.float32) for name in file.keys() if "layer" not in name}  # noqa: SIM118
        self.tokenizer = tokenizer_of(folder)
        self._model = MiniLM(folder / "model.safetensors", layers)
        self.inventory = inventory

    def edited(self, question: str, before: Sequence[tuple[str, str]]) -> Decoded:
        """`before`: earlier questions, each as it stands alone, and their answers, oldest first."""
        reading = read(question, before, self.tokenizer)
        if THIS not in reading.bases and (last := last_sentence(question)) != question:
            made = self.edited(last, before)
            return replace(made, text=f"{question[: question.rfind(last)]}{made.text}")
        if len(reading.kinds) < 2 or THIS not in reading.bases:
            return Decoded(Edits(LEAVE), question, 1.0)
        made = decoded(reading, *self.scores(reading), self.inventory)
        if made.edits.mode == LEAVE or (made.edits.mode == THIS and not made.edits.inserts):  # no question needs less
            return replace(made, edits=Edits(LEAVE), text=question)
        return replace(made, text=f"{made.text}?") if question.rstrip().endswith("?") else made

    def likeliest(self, question: str, before: Sequence[tuple[str, str]], most: int) -> list[Decoded]:
        """As `edits.likeliest`; nothing where it can only be left."""
        reading = read(question, before, self.tokenizer)
        if len(reading.kinds) < 2 or THIS not in reading.bases:
            return []
        mark = "?" if question.rstrip().endswith("?") else ""
        made = likeliest(reading, *self.scores(reading), self.inventory, most)
        return [replace(one, text=f"{one.text}{mark}") for one in made]

    @lru_cache(maxsize=64)  # noqa: B019 there is one of it
    def scores(self, reading: TaggerInput) -> tuple[float, dict[int, Scores]]:
        """The probability that nothing is edited, and what each mode would."""
        rows = self._model.states(reading.ids, self._heads["roles.weight"][list(reading.roles)], SHARED)
        asked = [piece for n in reading.of(0) for piece in range(reading.words[n].first, reading.words[n].last + 1)]
        logits = self._linear("mode", np.concatenate([rows[0], rows[asked].mean(axis=0)]))
        bases = {mode: words for mode, words in reading.bases.items() if words}
        likely = log_softmax(np.where([mode == LEAVE or mode in bases for mode in range(3)], logits, -1e4))
        return float(np.exp(likely[LEAVE])), {
            mode: self._of(reading, mode, rows, float(likely[mode])) for mode in bases
        }

    def _of(self, reading: TaggerInput, mode: int, rows: Vectors, likely: float) -> Scores:
        words = [reading.words[number] for number in reading.bases[mode]]
        firsts, lasts = [word.first for word in words], [word.last for word in words]
        word = self._mixed(rows[firsts], rows[lasts], "first", "last", self._heads["word_of.weight"][mode])
        delete = [self._linear("delete", gelu(word + one))[:, 0] for one in self._heads["deleted_of.weight"]]
        left, right = rows[[firsts[0] - 1, *lasts]], rows[[*firsts, lasts[-1] + 1]]
        mixed = self._mixed(left, right, "left", "right", self._heads["gap_of.weight"][mode])
        counted = [self._slots("prefix", gelu(mixed + one)) for one in self._heads["count_of.weight"]]
        gap = gelu(mixed)
        allowed = np.zeros(len(rows), bool)
        for one in reading.words:
            if one.segment != words[0].segment:
                allowed[one.first : one.last + 1] = True
        allowed[0] = True
        start, end = (
            np.where(allowed, self._slots(query, gap) @ self._linear(keys, rows).T * SCALE, np.float32(-1e4))
            for query, keys in (("start", "starts"), ("end", "ends"))
        )
        tie = rows @ self._heads["end_of.weight"].T @ self._linear("ends", rows).T * SCALE
        prefix, suffix = log_softmax(np.stack(counted)), log_softmax(self._slots("suffix", gap))
        return Scores(likely, np.stack(delete), prefix, suffix, log_softmax(start), end, tie)

    def _linear(self, name: str, rows: Vectors) -> Vectors:
        made: Vectors = rows @ self._heads[f"{name}.weight"].T + self._heads[f"{name}.bias"]
        return made

    def _slots(self, name: str, rows: Vectors) -> Vectors:
        """Shape (SLOTS, rows, what each has)."""
        return self._linear(name, rows).reshape(len(rows), SLOTS, -1).transpose(1, 0, 2)

    def _mixed(self, one: Vectors, other: Vectors, first: str, second: str, more: Vector) -> Vectors:
        made: Vectors = self._linear(first, one) + other @ self._heads[f"{second}.weight"].T + more
        return made


SCALE = np.float32(96**-0.5)
"""Of what speaks for a pointer, which is a product of so many numbers."""


SHARED = 2
"""Layers of the packaged encoder that are read as they are."""

LAYERS, INVENTORY = Path(__file__).with_name("tagger.safetensors"), Path(__file__).with_name("tagger.json")

BACK = 8
"""Questions before that are read."""

ANCHOR = 6
"""Of a conversation the beginning of which is out of sight, turns are read from one whose number this divides: the same
ones at the next turn, which are known then."""


@cache
def shipped() -> Tagger:
    """The one that comes with Clew."""
    values = json.loads(INVENTORY.read_text("utf-8"))
    inventory = Inventory(**{**values, "prefixes": tuple(values["prefixes"]), "suffixes": tuple(values["suffixes"])})
    return Tagger(packaged_minilm(), LAYERS, inventory)


@dataclass(frozen=True, slots=True)
class StandingQuestion:
    """`why` it is not as it was asked, in words; empty where it is."""

    text: str
    why: str = ""


def stand_alone(question: str, history: Sequence[Sentence]) -> StandingQuestion:
    """The question as it can be understood alone, where that is likely; `history` are the sentences before it."""
    if not may_be_english(question):
        return StandingQuestion(question)
    made = _edited(question, _before(history))
    if made.edits.mode == LEAVE:
        return StandingQuestion(question)
    return StandingQuestion(made.text, WHY[made.edits.mode])


def alternatives(question: str, history: Sequence[Sentence], most: int) -> list[Decoded]:
    """The `most` likely ways to make the question stand alone, likeliest first; among them to leave it as it is."""
    before = _before(history)
    return shipped().likeliest(question, before, most) if before else []


def _before(history: Sequence[Sentence]) -> tuple[tuple[str, str], ...]:
    """The last questions, each as it stands alone, and their answers."""
    before: list[tuple[str, str]] = []
    for asked, answer in _turns(history):
        before.append((_edited(asked, tuple(before[-BACK:])).text, answer))
    return tuple(before[-BACK:])


WHY = {THIS: "with what the conversation is about", PREVIOUS: "the question before, with another part"}


@lru_cache(maxsize=512)
def _edited(question: str, before: tuple[tuple[str, str], ...]) -> Decoded:
    return shipped().edited(question, before) if before else Decoded(Edits(LEAVE), question, 1.0)


def ended(text: str) -> str:
    """The last words of a turn with a pasted text, where the question is."""
    return " ".join(last_sentence(text).split()[-LONGEST:]) if len(text.split()) > LONGEST else text


LONGEST = 36
"""Words of an earlier question that are read."""


def _turns(history: Sequence[Sentence]) -> list[tuple[str, str]]:
    """Each English question with the first sentence of its answer, in order, without a thank-you: what is meant stands
    there more often than behind it."""
    asked: dict[int, list[str]] = {}
    answered: dict[int, list[str]] = {}
    for one in history:
        (asked if one.speaker == "user" else answered).setdefault(one.turn, []).append(one.text)
    turns = sorted(asked)
    if len(turns) > ANCHOR and turns[1] - turns[0] > 1:
        turns = [turn for turn in turns if turn == turns[0] or turn >= -(-turns[1] // ANCHOR) * ANCHOR]
    found = ((ended(" ".join(asked[turn])), " ".join(answered.get(turn, [])[:1])) for turn in turns)
    return [(question, answer) for question, answer in found if not is_filler(question) and may_be_english(question)]
