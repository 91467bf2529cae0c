"""Which passage each sentence of a written answer cites, and whether what it cites supports it: it is quoted, a right
calculation, or supported by a learned cross-encoder (`verification.safetensors`, made by
`python -m tests.training.verification`, which says on what it was trained and how good it is)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from clew.agent.answer.arithmetic import NUMBER, arithmetic, right_sums, ungrouped
from clew.agent.answer.citations import LIST_MARK, is_code, stands_in
from clew.agent.answer.reader import PairScorer
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim, Turn, Verdict
from clew.memory.datatypes import Passage
from clew.memory.encoding import packaged_minilm
from clew.memory.instructions import LEFT_OUT, neutralised, speaks_to_a_model
from clew.memory.language.telling import language_of
from clew.memory.text import NUMBER_WORDS, content_words, negations, split, words

SAID, WEAKLY_SAID = -2.8, -3.5
"""The log odds from which a sentence counts as supported, and as weak. Of true sentences, in collections that were not
trained on, 5 in a hundred score lower than the first."""

LEAST_SHARED = 0.2
"""The least share of its content words that a sentence must have in common with its passages. It halves the
cross-encoder's errors on unrelated passages, from one in ten to one in twenty."""

SUPPORTED, WEAK = 0.8, 0.5
"""For short sentences, and languages without training data: the share of its words that the passages need to have."""

LONGEST_SENTENCE, LONGEST_PASSAGE = 96, 150
"""Word pieces that are read together; what comes after is cut."""

NEAR = 80
"""Words of a passage that are read: those sentences that share most words with the claim."""

LEAST_SAID = 3
"""Content words from which a sentence claims something: "I hope so." does not, and needs no citation."""

ALIKE = 0.15
"""Passages whose shares of a sentence's words differ by less are told apart by the cross-encoder."""

SAME_LANGUAGE = 2 / 3
"""The share of a sentence's words, without names, from which it is in the language of the text that has them."""

SHIPPED = Path(__file__).with_suffix(".safetensors")

_WORD = re.compile(r"[^\W\d_]{2,}")
_BETWEEN_NAMES = re.compile(r"\b([A-Z][\w-]*) [a-z]+(?= [A-Z])")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b(?!(?<=, )[^,:]*: )[A-Z][\w'-]+")


@cache
def shipped() -> PairScorer:
    """The one that comes with Clew. Raises `NoModel` where the packaged encoder is not the published one."""
    return PairScorer(packaged_minilm(), SHIPPED, LONGEST_SENTENCE, LONGEST_PASSAGE)


def words_asked(turn: Turn) -> str:
    """The words of the question, as understood and as typed: what an answer may say without a proof."""
    return " ".join(dict.fromkeys((turn.rewritten, turn.typed)))


def verified(answer: Answer, asked: str = "") -> Answer:
    """The answer with a verdict for each sentence that cites and has none yet; `asked` is the question. The sums come
    first, as other sentences have their results."""
    claims, worked = [*answer.claims], list[Passage]()
    sums = [[*right_sums(ungrouped(_plain(one)))] for one in claims]
    for place in sorted(range(len(claims)), key=lambda place: not sums[place]):
        one = claims[place]
        if one.cites and one.verdict == "uncited":
            one = claims[place] = replace(one, verdict=verdict(one, answer.sources, worked, asked))
        if one.cites and one.verdict in ("supported", "uncited"):
            worked += [Passage("", "", "", f"{its.before}= {' '.join(its.results)}", 0.0, "") for its in sums[place]]
    return replace(answer, claims=tuple(claims))


def verdict(claim: Claim, sources: Sequence[Passage], worked: Sequence[Passage] = (), asked: str = "") -> Verdict:
    """Supported: the sentence stands in a passage, but for small words; or a passage has its numbers and names, and
    probably says it. Weak: that is less likely, or only the question has a name of it. One that denies what stands in a
    passage is unsupported.

    A number or a name that no cited passage has, and that is not `worked` out in another sentence, makes a sentence
    unsupported in any case: wrong citations look like that. Orders to a model support nothing. A sentence in another
    language than its passages can only be checked for its numbers: it stays uncited, as code and "No." do."""
    if not claim.cites:
        return "uncited"
    cited = [sources[number - 1] for number in claim.cites]
    text, cleaned = _plain(claim), str if speaks_to_a_model(claim.text) else _harmless  # it is quoted as what it is
    cited = [replace(one, text=cleaned(one.text)) for one in cited]
    evidence = cleaned(" ".join(_evidence(cited)))
    if content_words(text) and stands_in(text, evidence):
        return "supported"
    if claim.quotes and {quote.document for quote in claim.quotes} <= {passage.document for passage in cited}:
        return "supported"
    if is_code(claim) or not (content_words(text) or _exact(text)):
        return "uncited"
    said, known, before = ungrouped(text), _all_words(ungrouped(evidence)), " ".join(one.text for one in worked)
    results = arithmetic(said, cited, f"{asked} {before}")
    if {*content_words(said)} <= {*content_words(f"{ungrouped(evidence)} {asked} {before}")}:
        results |= arithmetic(said, worked) - known
    lacked = _lacked(said, evidence).difference(known, results, NUMBER.findall(before))
    language = language_beside(text, evidence, asked)
    if language not in ("", "en") and {"", language}.isdisjoint(language_of(one.text) for one in cited):
        return "unsupported" if any(one[0].isdigit() for one in lacked) else "uncited"
    if any(one[0].isdigit() for one in lacked) or not lacked <= _all_words(asked):
        return "unsupported"
    denials = [negations(unit) - negations(said) for one in cited for unit in _in_order(said, one)]
    if results or (not lacked and 0 in denials):
        return "supported"
    if min(denials, default=0) < 0:
        return "unsupported"
    likely, enough, least = _likelihood(said, cited)
    return "supported" if likely >= enough and not lacked else "weak" if likely >= least else "unsupported"


def language_beside(text: str, evidence: str, asked: str = "") -> str:
    """The language of a sentence, by its words that are no part of names ("Lang" is a word of Dutch), else that
    of the question; empty where it cannot be told, or where nearly all of them stand in the evidence."""
    small = [word for word in _WORD.findall(_BETWEEN_NAMES.sub(r"\1", text)) if word.islower()]
    held = {*small}.intersection(_WORD.findall(evidence))
    if small and sum(word in held for word in small) > SAME_LANGUAGE * len(small):
        return ""
    return language_of(" ".join(small)) or language_of(asked)


def _in_order(said: str, passage: Passage) -> Iterator[str]:
    """The sentences of a passage that have the content words of this one in their order; or two in a row that have,
    where nothing of the second one is left out."""
    wanted, units = content_words(said), [ungrouped(passage.text[start:end]) for start, end in split(passage.text)]
    both = (f"{one} {other}" for one, other in pairwise(units) if {*content_words(other)} <= {*wanted})
    for unit in (*units, *both) if len(wanted) >= LEAST_SAID else ():
        rest = iter(content_words(unit))
        if all(one in rest for one in wanted):
            yield unit


def all_but_one(claim: Claim, sources: Sequence[Passage]) -> Claim:
    """Without the one name or number that no source has and no sum in it gives, where the rest says something; else as
    it is."""
    said = ungrouped(claim.text)
    known = _all_words(ungrouped(" ".join(said_by(sources))))
    lacking = _exact(said).difference(known, arithmetic(said, sources))
    rest = re.sub(rf"\b{re.escape(min(lacking))}\b", "", said, flags=re.IGNORECASE) if len(lacking) == 1 else ""
    return replace(claim, text=rest) if len(content_words(rest)) >= LEAST_SAID else claim


def _likelihood(said: str, cited: Sequence[Passage]) -> tuple[float, float, float]:
    """How likely one of the passages, or all together, says it; and from which values on that is supported, and
    weak."""
    read, wanted = [replace(one, text=ungrouped(one.text)) for one in cited], content_words(said)
    all_said = " ".join(said_by(read))
    known, own_language = {*content_words(all_said)}, language_beside(said, all_said)
    held = sum(word in known for word in wanted) / max(1, len(wanted))
    if held < LEAST_SHARED or len(wanted) < LEAST_SAID or own_language not in ("", "en"):
        return held, SUPPORTED, WEAK
    read += [replace(read[0], text="\n".join(one.text for one in read))] if len(read) > 1 else []
    return float(shipped().scores(said, [near(said, one) for one in read]).max()), SAID, WEAKLY_SAID


def _harmless(text: str) -> str:
    return neutralised(text).text.replace(LEFT_OUT, "")


def _plain(claim: Claim) -> str:
    """Its text without the mark of a list."""
    return LIST_MARK.sub("", claim.text)


def _evidence(passages: Sequence[Passage]) -> list[str]:
    """All text of each passage that supports what cites it."""
    each = zip(passages, said_by(passages), strict=True)
    return [f"{passage.title} {passage.heading} {passage.text} {said}" for passage, said in each]


def near(text: str, passage: Passage) -> str:
    """The title and the sentences of a passage that share most words with this text (and their neighbours), in
    order."""
    units, wanted = [passage.text[start:end].strip() for start, end in split(passage.text)], set(content_words(text))
    shared = [0, *(len(wanted.intersection(content_words(unit))) for unit in units), 0]
    fit = [
        own + 0.4 * before + 0.3 * behind for before, own, behind in zip(shared, shared[1:], shared[2:], strict=False)
    ]
    kept, room = list[int](), NEAR
    for place in sorted(range(len(units)), key=lambda place: -fit[place]):
        if not kept or len(units[place].split()) <= room:
            kept.append(place)
            room -= len(units[place].split())
    return " ".join([f"{passage.title}.", *(units[place] for place in sorted(kept))])


def _all_words(text: str) -> set[str]:
    """Words and numbers in lower case, small numbers also as digits."""
    words = {word.casefold().removesuffix("'s") for word in re.findall(r"\w[\w'-]*", text)}
    return _exact(text) | words | {str(number) for number, word in enumerate(NUMBER_WORDS) if word in words}


def _lacked(text: str, evidence: str) -> set[str]:
    """The numbers and names of a text that the evidence does not have: neither in another form (`Mondays`) nor, of an
    acronym, as the first letters of its words (`VAT`)."""
    stems, letters = {*content_words(evidence)}, "".join(word[0] for word in words(evidence))
    spelled = {one.casefold() for one in re.findall(r"\b[A-Z]{3,}\b", text) if one.casefold() in letters}
    lacked = _exact(text).difference(spelled)
    return {one for one in lacked if one[0].isdigit() or not stems.issuperset(content_words(one) or [one])}


def _exact(text: str) -> set[str]:
    """Numbers and names, which have to match exactly. A word that only begins a sentence is not a name."""
    names = {name.casefold().removesuffix("'s") for name in _NAME.findall(text)}
    return names | {number.rstrip(".,") for number in NUMBER.findall(text)}


# Citations ------------------------------------------------------------------------------------------------------------


def attributed(claims: Sequence[Claim], passages: Sequence[Passage], asked: str = "") -> tuple[Claim, ...]:
    """The claims with their verdicts; `asked` is the question.

    One without a citation cites the passage that has most of its words, if that supports it; one that cites a passage
    without a name or a number of it cites the one that has most of its words, if that has the name or the number. What
    cites nothing and claims something is weak, or unsupported if a name or a number of it is nowhere. Code belongs to
    the sentence before it."""
    held, placed = [_all_words(ungrouped(text)) for text in _evidence(passages)], list[Claim]()
    known = _all_words(asked).union(*held)
    candidates = _candidates(claims, passages, held, known, asked)
    for claim in claims:
        of_above = is_code(claim) and placed and placed[-1].cites
        placed.append(claim if of_above else candidates.cited(claim))
    checked = verified(Answer("answered", tuple(placed), tuple(passages)), asked).claims
    return tuple(_settled(*both, known) for both in zip(claims, checked, strict=True))


def _settled(claim: Claim, checked: Claim, known: set[str]) -> Claim:
    if claim.cites or checked.verdict == "supported" or is_code(claim):
        return checked
    if checked.verdict == "uncited" or len(content_words(claim.text)) < LEAST_SAID:
        return claim
    strange = checked.verdict == "unsupported" and not _exact(ungrouped(_plain(claim))) <= known
    return replace(claim, verdict="unsupported" if strange else "weak")


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What an answer may cite. `held[i]` are all words of passage i; the `free` numbers need not be there, as they are
    worked out, and `given` has what the sums cite that they are the results of. `known` are also the question's
    words."""

    passages: Sequence[Passage]
    held: Sequence[set[str]]
    known: set[str]
    free: set[str]
    given: Mapping[str, tuple[int, ...]]

    def cited(self, claim: Claim) -> Claim:
        """The claim with a citation, but for one without that announces, asks, or says what is lacking."""
        said = ungrouped(_plain(claim))
        exact = _exact(said)
        if not claim.cites:
            if claim.text[-1] in ":?" or self._lack(said, exact):
                return claim
            of_sum = (self.given[one] for one in exact if self.given.get(one))
            return replace(claim, cites=next(of_sum, ()) or (self._best(said, exact - self.free) + 1,))
        lacked = (exact - self.free).difference(*(self.held[number - 1] for number in claim.cites))
        if not lacked or language_beside(said, " ".join(said_by(self.passages))) not in ("", "en"):
            return claim
        best = self._best(said, exact - self.free)
        return claim if lacked.isdisjoint(self.held[best]) else replace(claim, cites=(best + 1,))

    def _lack(self, said: str, exact: set[str]) -> bool:
        """Whether it says what the passages do not say: it denies something, of which no passage has most words."""
        wanted = {*content_words(said)}
        most = max(len(wanted.intersection(content_words(ungrouped(one)))) for one in said_by(self.passages))
        return negations(said) > 0 and exact <= self.known and most < SUPPORTED * len(wanted)

    def _best(self, said: str, exact: set[str]) -> int:
        """The place of the passage with most of the sentence's words and its `exact` ones."""
        stems = {*content_words(said)}.difference(content_words(" ".join(self.free)))
        texts = (content_words(ungrouped(one)) for one in said_by(self.passages))
        fit = [len(stems.intersection(words)) + len(exact & own) for words, own in zip(texts, self.held, strict=True)]
        near = [n for n, one in enumerate(fit) if one >= max(fit) - ALIKE * (len(stems) + len(exact))]
        if len(near) == 1:
            return near[0]
        return max(near, key=lambda n: _likelihood(said, [self.passages[n]])[0])


def _candidates(
    claims: Sequence[Claim], passages: Sequence[Passage], held: Sequence[set[str]], known: set[str], asked: str
) -> _Candidates:
    sums = [(one, said) for one in claims if any(right_sums(said := ungrouped(_plain(one))))]
    documents = [one for one in passages if one.document]
    free = set[str]().union(*(arithmetic(said, documents, asked) for _, said in sums))
    given = {number: one.cites for one, said in sums for its in right_sums(said) for number in its.results}
    return _Candidates(passages, held, known, free, given)
