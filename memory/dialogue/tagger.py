"""The question made to stand alone by a learned edit tagger: which of its words go, where a span of the conversation
comes in, and behind which connecting word.

Incomplete utterances rewritten by tagging (Liu et al. 2020, arXiv:2009.13166; Hao et al. 2021, arXiv:2012.14710; Jin
et al. 2022, AAAI 36: HCT). The question and what was said before it are read at once by the packaged encoder, the lower
layers of which are shared and the upper ones fitted for this. What is edited is the question, or the question before
it, where the new one only names another part of that: 'and for pupils?'.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from clew.memory.datatypes import Sentence, Vector, Vectors
from clew.memory.dialogue.edits import (
    LEAVE,
    PREVIOUS,
    SLOTS,
    THIS,
    Decoded,
    Edits,
    Inventory,
    Scores,
    TaggerInput,
    decoded,
    likeliest,
    log_softmax,
    read,
)
from clew.memory.dialogue.utterances import is_filler, last_sentence
from clew.memory.encoding import packaged_minilm
from clew.memory.language.telling import may_be_english
from clew.memory.minilm import MiniLM, gelu, tokenizer_of


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
