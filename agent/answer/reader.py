"""Which candidate answers the question, and which words of the answer are shown in bold.

A small network scores features of each candidate (`reader.json`); a cross-encoder reads the best ones together with the
question (`pairs.safetensors`); a linear model finds the span for bold (`bold_spans.json`). For other languages than
English, a linear model (`foreign_reader.json`) over the vectors of `clew[multilingual]` takes their place: a text and
its translation have nearly the same vector, so what is learned in some languages serves all.

Made by `python -m tests.training.reader`, `.pairs`, `.spans` and `.foreign_reader`, which say how they are measured."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from clew.agent.answer.evidence import EncodedRequest, Evidence, shares_held
from clew.agent.state import Answer, BoldSpan
from clew.memory.datatypes import Floats, Vector, Vectors
from clew.memory.dates import days_in_full
from clew.memory.encoding import packaged_minilm
from clew.memory.knowledge.document_parts import Block, Candidate
from clew.memory.language.answer_type import AnswerType, answer_type
from clew.memory.language.telling import may_be_english
from clew.memory.minilm import MiniLM, tokenizer_of
from clew.memory.text import (
    LEANING,
    Span,
    content_word_pairs,
    content_word_sets,
    content_words,
    read_patterns,
    written_words,
)

SHIPPED, FOREIGN = (Path(__file__).with_name(f"{name}.json") for name in ("reader", "foreign_reader"))
SPANS = Path(__file__).with_name("bold_spans.json")
PAIRS = Path(__file__).with_name("pairs.safetensors")

LONGEST_QUESTION, LONGEST_TEXT = 32, 70  # word pieces that are read of each; the rest is cut
READ_TOGETHER, WITHIN = 12, 4.0
"""How many of the best candidates are read together with the question, and how much lower than the best one may score:
this saves a third of the time and changes one first candidate in 250 (docs/journal.md)."""

UNFITTED = 0.4
"""The weight of the cross-encoder's score in a language that it was not fitted on, where it is 1 in English."""

LONGEST_HEAD = 80  # characters of the heading that are read in front of a candidate


READINGS = 8
"""Questions whose scores are kept in memory."""


class PairScorer:
    """How well each text answers a question: a cross-encoder (Nogueira and Cho 2019, arXiv:1901.04085) over the lower
    layers of the packaged encoder; the upper ones, fitted for that, are in `layers`. Safe from several threads."""

    def __init__(self, folder: Path, layers: Path, longest_question: int, longest_text: int) -> None:
        """`folder` has the encoder; of a question and of a text at most so many word pieces are read."""
        self._longest = longest_question, longest_text
        self._tokenizer = tokenizer_of(folder)
        self._model = MiniLM(folder / "model.safetensors", layers)
        # The scores so far, by question and text: what judges a turn and what answers it read much the same.
        self._known = lru_cache(maxsize=READINGS)(lambda _: dict[str, np.float32]())

    def scores(self, question: str, texts: Sequence[str]) -> Vector:
        """The log odds of each text that it answers the question."""
        known = self._known(question)
        unread = [text for text in dict.fromkeys(texts) if text not in known]
        if unread:
            asked, *found = self._tokenizer.encode_batch([question, *unread], add_special_tokens=False)
            first, second = self._longest
            pieces = [text.ids[:second] for text in found]
            known.update(zip(unread, self._model.pair_scores(asked.ids[:first], pieces), strict=True))
        return np.array([known[text] for text in texts], np.float32)

    def states(self, question: str, text: str) -> tuple[Vectors, list[Span]]:
        """For each word piece of a text the output of the last two layers, shape (pieces, d), and its place in the
        text."""
        asked, found = self._tokenizer.encode_batch([question, text], add_special_tokens=False)
        first, second = self._longest
        return self._model.pair_states(asked.ids[:first], found.ids[:second]), found.offsets[:second]


def _gelu(x: Floats) -> Floats:
    """Gaussian error linear units, by their approximation with tanh (Hendrycks and Gimpel 2016, arXiv:1606.08415)."""
    made: Floats = x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return made


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A multilayer perceptron over the `features`. `layers` are weights, shape (units, inputs), and biases; the last
    has one unit. `together` is the weight of the cross-encoder's score."""

    features: tuple[str, ...]
    layers: Sequence[tuple[Floats, Floats]]
    together: float = 0.0

    def scores(self, found: Floats) -> Floats:
        """`found`: shape (candidates, `features`). One logit for each candidate."""
        *hidden, (weights, biases) = self.layers
        for one, bias in hidden:
            found = _gelu(found @ one.T + bias)
        scores: Floats = (found @ weights.T + biases)[:, 0]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class ReadCandidates:
    """What the reader says of all candidates: their `features`, shape (candidates, `FEATURES`); their scores by these
    `alone`; their `scores` with the cross-encoder's; and its log odds that each answers, minus infinity for those that
    it did not read."""

    features: Floats
    alone: Floats
    scores: Floats
    odds: Floats


def read(request: EncodedRequest, evidence: Evidence) -> ReadCandidates:
    """Scores of all candidates. In a comparison the cross-encoder does not count."""
    found = features(request, evidence)
    if evidence.foreign:
        scores = foreign_reader().scores(foreign_features(request, evidence, found))
        return ReadCandidates(found, scores, scores, np.full(len(scores), -np.inf))
    reader, fitted = shipped_reader(), may_be_english(request.question)  # as all that the pairs were fitted on
    alone = reader.scores(found)
    scores, odds = alone.copy(), np.full(len(alone), -np.inf)
    if len(alone):
        first = np.argsort(-alone, kind="stable")[:READ_TOGETHER]
        first = first[alone[first] >= alone[first[0]] - WITHIN]
        texts = tuple(with_head(evidence, place) for place in first.tolist())
        together = shipped_pairs().scores(request.question, texts)
        if request.asked.form != "comparison":
            scores[first] += reader.together * (1.0 if fitted else UNFITTED) * (together - together.min())
        if fitted:
            odds[first] = together
    return ReadCandidates(found, alone, scores, odds)


def with_head(evidence: Evidence, place: int) -> str:
    """A candidate with its heading in front, and with days in full (`Saturday` for `Sat`)."""
    return days_in_full(headed(evidence.heads[place], evidence.texts[place]))


def headed(head: str, text: str) -> str:
    return f"{head[:LONGEST_HEAD]}: {text}" if head and not text.startswith(head) else text


@cache
def shipped_pairs() -> PairScorer:
    """The one that comes with Clew. Raises `NoModel` where the packaged encoder is not the published one."""
    return PairScorer(packaged_minilm(), PAIRS, LONGEST_QUESTION, LONGEST_TEXT)


@cache
def shipped_reader() -> Reader:
    """The one that comes with Clew."""
    return _reader(SHIPPED, FEATURES)


@cache
def foreign_reader() -> Reader:
    """The one for other languages than English: a score above 0 means that a candidate may answer a question in a
    language that the documents are not in."""
    return _reader(FOREIGN, FOREIGN_FEATURES)


@cache
def shipped_spans() -> tuple[Floats, float]:
    """The weights over the states of a word piece, and the bias."""
    kept = json.loads(SPANS.read_text("utf-8"))
    return np.array(kept["weights"]), kept["bias"]


def _reader(path: Path, made_for: tuple[str, ...]) -> Reader:
    kept = json.loads(path.read_text("utf-8"))
    assert tuple(kept["features"]) == made_for, f"made for other features: python -m tests.training.{path.stem}"
    layers = [(np.array(layer["weights"]), np.array(layer["biases"])) for layer in kept["layers"]]
    return Reader(made_for, layers, kept["together"])


# Features -----------------------------------------------------------------------------------------------------------

KINDS = ("quantity", "time", "person", "place", "reason")
OF_MEANING = tuple("cosine own_cosine around head asking_head below below_asking passage centred rank score".split())
OF_WORDS = tuple("held held_head held_around focus pairs numbers no_numbers".split())
OF_KINDS = (*KINDS, *(f"no_{kind}" for kind in KINDS), "measures", "holds_near")
OF_FORM = tuple(
    "question item row code announces list_item steps_item steps_code enumerates"
    " length short pronoun said first defines date_only".split()
)
ASKED_FORMS = ("fact", "list", "steps", "comparison", "yes-no")
_PATTERNS = read_patterns(Path(__file__).with_suffix(".txt"))
ASKING_WORDS = tuple(_PATTERNS["asking words"].split("|"))
OF_QUESTION = (*ASKED_FORMS, *("defined", "expected", "measure", "asked_words"), *ASKING_WORDS)
FEATURES = (*OF_MEANING, *OF_WORDS, *OF_KINDS, *OF_FORM, *OF_QUESTION)

ANY_FORM = tuple("question item row code announces length short said first date_only".split())
"""The features of form that do not depend on the language."""

FOREIGN_FEATURES = (
    *(*OF_MEANING, *OF_WORDS, *ANY_FORM, "digits"),
    *(f"behind: {name}" for name in (*OF_MEANING, *OF_WORDS)),
)
_OWN, _BEHIND = ([FEATURES.index(name) for name in (*OF_MEANING, *OF_WORDS, *form)] for form in (ANY_FORM, ()))

_GROUPS = {**dict.fromkeys(("duration", "money", "number"), "quantity"), "name": "person"}

_ENUMERATION, _IS, _IS_A = (re.compile(_PATTERNS[name]) for name in ("enumeration", "is", "is a"))
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_SET_OFF = re.compile(r"\([^()]*\)|(?<=\w), (?:[^,]*, ?|[^,]*$)")
"""`Laika (Russian: Barker)`, `Laika, a dog from Moscow, `."""


def features(request: EncodedRequest, evidence: Evidence) -> Floats:
    """Shape (candidates, `FEATURES`)."""
    if not evidence.candidates:
        return np.zeros((0, len(FEATURES)))
    beside = _neighbours(evidence.candidates)
    parts = (
        _of_meaning(request, evidence, *beside),
        _of_words(request, evidence, *beside),
        _of_kinds(request.asked, evidence.texts, beside[1]),
        _of_form(request, evidence),
        np.tile(_of_question(request), (len(evidence.candidates), 1)),
    )
    return np.concatenate(parts, axis=1)


def foreign_features(request: EncodedRequest, evidence: Evidence, own: Floats) -> Floats:
    """Shape (candidates, `FOREIGN_FEATURES`): of the question, whose `features` are `own`, and of it behind the
    previous question."""
    digits = [[any(map(str.isdecimal, text))] for text in evidence.texts]
    behind = features(request.behind, evidence) if request.behind else own
    return np.concatenate([own[:, _OWN], np.reshape(digits, (-1, 1)), behind[:, _BEHIND]], axis=1)


def _of_meaning(request: EncodedRequest, evidence: Evidence, before: Sequence[int], behind: Sequence[int]) -> Floats:
    vectors, whole = evidence.candidate_vectors, request.whole
    beside: Vectors = np.vstack([vectors, np.zeros_like(vectors[:1])])  # the last of them is none
    around, middle = _unit(vectors + 0.5 * beside[before] + 0.5 * beside[behind]), vectors.mean(axis=0)
    cosines, heads = vectors @ whole, evidence.head_vectors @ whole
    asking = [candidate.asks for candidate in evidence.candidates]
    asked = np.maximum(heads * evidence.heads_ask, np.append(cosines * asking, 0.0)[before])
    places, below = [candidate.passage for candidate in evidence.candidates], _below(evidence.candidates)
    columns = (
        cosines,
        vectors @ request.own,
        around @ whole,
        heads,
        asked,
        below,
        np.multiply(below, asked),
        (evidence.passage_vectors @ whole)[places],
        _unit(vectors - middle) @ _unit(whole - middle),
        [1 / (1 + place) for place in places],
        [evidence.passages[place].score for place in places],
    )
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _of_words(request: EncodedRequest, evidence: Evidence, before: Sequence[int], behind: Sequence[int]) -> Floats:
    words, weights, (pairs,) = evidence.candidate_words, request.weights, content_word_pairs([request.question])
    numbers = _numbers(request.question)
    titles = [f"{one.head} {one.lead} {evidence.passages[one.passage].title}" for one in evidence.candidates]
    beside = [*words, frozenset[str]()]  # the last of them is none
    overs = content_word_sets(titles, evidence.language)
    around = [beside[one] | beside[other] for one, other in zip(before, behind, strict=True)]
    held, held_over, held_around = (shares_held(weights, one) for one in (words, overs, around))
    rows = [
        (
            held[n],
            held_over[n],
            held_around[n],
            _focus(weights, words[n], over),
            len(pairs & evidence.candidate_pairs[n]) / len(pairs) if pairs else 0.0,
            bool(numbers & (said := _numbers(f"{titles[n]} {evidence.texts[n]}"))),
            bool(numbers) and not numbers & said,
        )
        for n, over in enumerate(overs)
    ]
    return np.array(rows)


def _of_kinds(asked: AnswerType, texts: Sequence[str], behind: Sequence[int]) -> Floats:
    expected = {_GROUPS.get(name, name) for name in asked.expected}
    wanted = np.array([float(kind in expected) for kind in KINDS])
    holds = asked.holds(texts)
    rows = [
        (
            *(wanted * held),
            *(wanted * (not held)),
            bool(asked.measure) and asked.measures(text),
            not held and next_ >= 0 and holds[next_],
        )
        for text, held, next_ in zip(texts, holds, behind, strict=True)
    ]
    return np.array(rows, np.float64)


def _of_form(request: EncodedRequest, evidence: Evidence) -> Floats:
    form, defined = request.asked.form, request.asked.defined
    stems = frozenset(content_words(defined))
    each = zip(evidence.candidates, evidence.texts, evidence.candidate_words, evidence.plain_texts, strict=True)
    rows = [
        (
            candidate.asks,
            (kind := candidate.block.kind) == "item",
            kind == "row",
            kind == "code",
            text.endswith((":", "...", "\u2026")),
            form == "list" and kind in ("item", "row"),
            form == "steps" and kind == "item",
            form == "steps" and (kind == "code" or text.endswith(":")),
            form == "list" and bool(_ENUMERATION.search(text)),
            math.log1p(count := len(text.split())),
            count < 5,
            bool(LEANING.match(text)),
            plain in request.said,
            1 / (1 + candidate.position / 200),
            _defines(defined, stems, text) if stems else 0.0,
            not words,
        )
        for candidate, text, words, plain in each
    ]
    return np.array(rows, np.float64)


def _of_question(request: EncodedRequest) -> list[float]:
    """Features of the question: the same for all candidates, but other features count by them."""
    wanted, words = request.asked, set(written_words(request.question.casefold()))
    return [
        *(float(wanted.form == form) for form in ASKED_FORMS),
        *(float(bool(told)) for told in (wanted.defined, wanted.expected, wanted.measure)),
        math.log1p(len(request.question.split())),
        *(float(word in words) for word in ASKING_WORDS),
    ]


def _neighbours(candidates: Sequence[Candidate]) -> tuple[list[int], list[int]]:
    """For each candidate the place of the one before and of the one behind it in the same region; -1 if there is
    none."""
    order = sorted(range(len(candidates)), key=lambda n: (id(candidates[n].region), candidates[n].position))
    before, behind = [-1] * len(candidates), [-1] * len(candidates)
    for one, other in pairwise(order):
        if candidates[one].region is candidates[other].region:
            before[other], behind[one] = one, other
    return before, behind


def _below(candidates: Sequence[Candidate]) -> list[float]:
    """1 for the first candidate under a heading, 1/2 for the second, 1/3 for the third."""
    below, seen = [0.0] * len(candidates), Counter[tuple[int, Block | None]]()
    for n in sorted(range(len(candidates)), key=lambda n: candidates[n].position):
        section = id(candidates[n].region), candidates[n].block.head
        seen[section] += 1
        below[n] = 1 / seen[section]
    return below


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)
    return unit


def _focus(weights: Mapping[str, float], held: frozenset[str], over: frozenset[str]) -> float:
    """The share of the question's words that the candidate has: of those that are not in the headings above it, or of
    all words if all are in the headings."""
    rest = {stem: weight for stem, weight in weights.items() if stem not in over} or weights
    return sum(weight for stem, weight in rest.items() if stem in held) / sum(rest.values()) if rest else 0.0


def _numbers(text: str) -> set[str]:
    """As they are written, '3.0' and '1,250' too."""
    return set(_NUMBER.findall(text))


def _defines(defined: str, stems: frozenset[str], text: str) -> float:
    """How much a text looks like a definition. 1: what is defined stands before the first verb of being (`The code base
    of SQLite is kept by ...`). 1.5: it is the whole subject, and is said to be something (`SQLite is an embedded SQL
    database engine`). 1.25: an apposition (`Laika, a dog from Moscow, ...`). 0: neither. `stems` are the
    content words of what is defined."""
    apposed = 1.25 * bool(re.search(rf"\b{re.escape(defined)}{_PATTERNS['apposed']}", text, re.IGNORECASE))
    verb = _IS.search(text)
    before = text[: verb.start()] if verb else ""
    subject = set(content_words(before))
    if not subject or not stems <= subject or len(subject) > len(stems) + 4:
        return apposed
    alone = set(content_words(_SET_OFF.sub(" ", before))) == stems
    return 1.5 if alone and verb and _IS_A.match(text, verb.start()) else max(1.0, apposed)


# In bold ------------------------------------------------------------------------------------------------------------

SURE, BESIDE = 0.5, -0.5
"""The average log odds that a span needs, and how low those of a single word piece in it may be."""

FEW = 3  # quotations that are looked at for bold


def with_bold(answer: Answer, question: str) -> Answer:
    """The answer with the most likely span of one sentence in bold: of a quotation, else of a cited sentence. Unchanged
    if the question asks for no known kind of thing, or no span is likely enough."""
    cited = [place for place, claim in enumerate(answer.claims) if claim.cites]
    places = [place for place in cited if answer.claims[place].quotes] or cited
    claims = [answer.claims[place] for place in places[:FEW]]
    titles = [answer.sources[claim.cites[0] - 1].title for claim in claims]
    found = likeliest(question, titles, [claim.text for claim in claims])
    if found is None:
        return answer
    place, span = places[found[0]], BoldSpan(*found[1])
    made = (replace(claim, span=span) if n == place else claim for n, claim in enumerate(answer.claims))
    return replace(answer, claims=tuple(made))


def likeliest(question: str, titles: Sequence[str], texts: Sequence[str]) -> tuple[int, Span] | None:
    """The place of the text with the most likely span, and that span; None if none is likely enough. `titles` are those
    of the texts' documents."""
    asked, pairs = answer_type(question), shipped_pairs()
    if not asked.expected or asked.form == "comparison" or not may_be_english(question):
        return None
    (weights, bias), found = shipped_spans(), list[tuple[float, int, Span]]()
    for place, (title, text) in enumerate(zip(titles, texts, strict=True)):
        states, offsets = pairs.states(question, headed(title, text))
        before = len(headed(title, text)) - len(text)
        pieces = [(start - before, end - before) for start, end in offsets if start >= before]
        if not pieces:
            continue
        odds, (start, end) = part((states[-len(pieces) :] @ weights + bias).tolist(), pieces, text)
        within = " ".join((*text[:start].split()[-2:], text[start:end]))  # 'in Vienna' is a place
        said = text[start:end]  # no half of a bracket
        new = said.casefold() not in question.casefold() and said.count("(") == said.count(")")
        if odds >= SURE and new and any(asked.holds([within])):
            found.append((odds, place, (start, end)))
    best = max(found, default=None)
    return (best[1], best[2]) if best else None


_IN_NUMBER = re.compile(r"\d[.,:]\d.?|.?\d[.,:]\d")  # around a place within 179.90, on either side of its mark


def part(odds: Sequence[float], pieces: Sequence[Span], text: str) -> tuple[float, Span]:
    """The most likely word piece, extended to whole words and likely neighbours: the average log odds, and the range in
    the text."""

    def joined(place: int) -> bool:
        """Whether this word piece continues the word or the number of the one before."""
        (_, end), (start, _) = pieces[place - 1 : place + 1]
        in_number = bool(_IN_NUMBER.fullmatch(text[max(end - 2, 0) : start + 2]))
        return end == start and (in_number or (text[end - 1].isalnum() and text[start].isalnum()))

    first = last = int(np.argmax(odds))
    while first and (odds[first - 1] > BESIDE or joined(first)):
        first -= 1
    while last + 1 < len(odds) and (odds[last + 1] > BESIDE or joined(last + 1)):
        last += 1
    return float(np.mean(odds[first : last + 1])), (pieces[first][0], pieces[last][1])
