"""What an answer must not say, whoever wrote it: the last check, after orders were kept out of the prompt.

Orders in documents are no evidence. Dropped are sentences that only an order contains, sentences that have nothing to
do with the question, and addresses that no passage gives for it. Streamed words wait until their sentence is complete
and checked. A quoted sentence that speaks to a language model is introduced as such."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from clew.agent.answer.verification import verdict
from clew.agent.state import Claim
from clew.agent.talk.lines import line
from clew.memory.datatypes import Passage
from clew.memory.errors import ClewError
from clew.memory.instructions import ADDRESS, Topic, neutralised, orders, speaks_to_a_model
from clew.memory.text import compiled_patterns, content_words, split

_PICTURE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?|<[a-zA-Z/!][^<>]*>")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_WAYS = compiled_patterns(Path(__file__).with_suffix(".txt"))["ways"]
"""Words of a question that may ask for an address."""

_CLOSED = re.compile(r"(?:[^<\[]|<[^<>]*>|\[[^\[\]]*\](?:\([^()]*\)|(?=[^(])))*")
_READY = re.compile(rf"(?:{_CLOSED.pattern}\s)?")
"""Everything before an incomplete picture, link or element."""

HELD = 5
"""Words of a sentence that are held back until it is clear whether it may be shown."""

SHARE = 0.5
"""The share of a sentence's words in an order from which the sentence says what was ordered."""


class OutputFilter:
    """Filters the answer that a model wrote from these passages; `topic` is what the question is about (None: not
    checked), `language` that of the answer."""

    def __init__(self, passages: Sequence[Passage], topic: Topic | None = None, language: str = "") -> None:
        self._passages, self._topic, self._left_out = passages, topic, line("address left out", language)
        self._texts = [neutralised(f"{passage.title}\n\n{passage.text}").text for passage in passages]
        self._sentences = [text[start:end] for text in self._texts for start, end in split(text)]
        self._raw = [p.text[start:end] for p in passages for start, end in split(p.text)]
        self._ordered = [set(content_words(one)) for passage in passages for one in orders(passage.text)]
        self._titles = {word for p in passages for word in content_words(f"{p.title} {p.heading}")}

    def claims(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        kept = (replace(one, text=self.plain(one.text), markup=self.plain(one.markup)) for one in claims)
        return tuple(one for one in kept if re.search(r"\w", one.text) and not self._stays(one))

    def streamed(self, pieces: Iterable[str]) -> Iterator[str]:
        """The text sentence by sentence, as soon as its first words show that it may be shown; links and addresses only
        when complete; of a sentence that breaks off its complete words."""
        text, sent, leaves = "", 0, False
        try:
            for piece in pieces:
                text += piece
                closed = len(_CLOSED.match(text)[0])  # type: ignore[index]
                starts = [0, *(start for start, _ in split(text)[1:] if start <= closed)]
                for start, end in pairwise(starts):
                    yield from self._rest(text[start:end], max(sent - start, 0), leaves)
                    leaves = False
                text, sent = text[starts[-1] :], max(sent - starts[-1], 0)
                whole = text.rpartition(" ")[0]
                if not leaves and " " in piece and len(whole.split()) >= HELD:
                    leaves = not self._stays(_said(whole))
                end = len(_READY.match(text)[0].rstrip())  # type: ignore[index]
                if leaves and end > sent:
                    yield self.plain(text[sent:end])
                    sent = end
        except ClewError:
            yield from self._rest(text.rpartition(" ")[0], sent, leaves)
            raise
        yield from self._rest(text, sent, leaves)

    def _rest(self, sentence: str, sent: int, leaves: bool) -> Iterator[str]:
        if (shown := self.plain(sentence[sent:])) and (leaves or not self._stays(_said(sentence))):
            yield shown

    def plain(self, text: str) -> str:
        """The text without pictures, links, and addresses that no passage gives for the question."""
        text = _LINK.sub(r"\1", _PICTURE.sub("", text))
        return ADDRESS.sub(lambda found: found[0] if self._gives(found[0]) else self._left_out, text)

    def _gives(self, address: str) -> bool:
        wanted = address.casefold().rstrip(".,;)")
        if self._topic is None or _WAYS.search(self._topic.question):
            return any(wanted in text.casefold() for text in self._texts)
        return any(wanted in one.casefold() and self._topic.shares(one) for one in self._sentences)

    def _stays(self, claim: Claim) -> bool:
        """Whether the claim must not be shown: it says what a document orders, or neither it nor its source has to do
        with the question."""
        if speaks_to_a_model(claim.text):
            return True
        said, topic = set(content_words(claim.text)), self._topic
        if any(said and len(said & words) >= SHARE * len(said) for words in self._ordered):
            cites = claim.cites or tuple(range(1, len(self._passages) + 1))
            return verdict(replace(claim, cites=cites), self._passages) != "supported"
        if topic is None or not said or said & self._titles or topic.has(claim.text):
            return False
        return topic.foreign([max(self._raw, key=lambda one: len(said & set(content_words(one))), default="")])


def _said(text: str) -> Claim:
    """The text as a claim without citations."""
    return Claim(" ".join(re.sub(r"\[\d+\]", "", text).split()))


def announced(claims: Sequence[Claim], language: str) -> tuple[Claim, ...]:
    """The claims, with a notice in this language before each quoted one that speaks to a language model."""
    notice = line("order quoted", language)
    before = ([Claim(notice, new_line=one.new_line)] if one.cites and orders(one.text) else [] for one in claims)
    return tuple(claim for own, one in zip(before, claims, strict=True) for claim in (*own, one))
