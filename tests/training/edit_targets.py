"""What the edit tagger is to say: the edits that come nearest to what people wrote, and questions made of theirs."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from clew.memory.dialogue.tagger import (
    LEAVE,
    LONGEST_SPAN,
    PREVIOUS,
    SLOTS,
    THIS,
    WORD,
    Edits,
    Insert,
    Inventory,
    TaggerInput,
    applied,
    bare,
    read,
)
from clew.memory.text import FUNCTION_WORDS, split, stemmed_words
from tests.training.records import lines_of

OWN, OWN_SET, TOLD_SET = Path(__file__).with_name("standalones.jsonl.gz"), "own", "told"


@dataclass(frozen=True, slots=True)
class Example:
    set: str
    conversation: str
    question: str
    before: tuple[tuple[str, str], ...]
    wanted: str


def of_sets(file: Path, split: str = "train") -> Iterator[Example]:
    for record in lines_of(file):
        if record["split"] != split or record["set"].startswith("doc2dial"):
            continue
        before: list[tuple[str, str]] = []
        for turn in record["turns"]:
            question, wanted = turn["question"], turn.get("rewritten") or turn["question"]
            if before:
                yield Example(record["set"], record["id"], question, tuple(before[-8:]), wanted)
                for shorter in turn.get("shorter") or ():
                    if shorter != question:
                        yield Example(record["set"], record["id"], shorter, tuple(before[-8:]), wanted)
            before.append((wanted, turn.get("answer") or ""))


def of_own(data: Path) -> Iterator[Example]:
    """Questions of conversations that the project's writers made to stand alone, and of a few that they wrote, with up
    to four turns before, which are as they were rewritten, where they were. What they say of a turn stands in `OWN`;
    what was asked, where they do not say it, and the document in which the answer stands (`said`: its path, from, to)
    are read of `data`; of documents that nobody wrote, they have the `answer` itself."""
    folder = data / "conversations"
    own = {(one["conversation"], one["turn"]): one for one in lines_of(OWN)}
    cases = (case for file in COLLECTED for case in lines_of(folder / f"{file}.jsonl"))
    asked = {(case["conversation"], case["turn"]): case["question"] for case in cases}
    asked |= {key: one["question"] for key, one in own.items() if "question" in one}

    @cache
    def turn(conversation: str, number: int) -> tuple[str, str]:
        one = own.get((conversation, number), {})
        path, *span = one.get("said", ("",))
        drawn = random.Random(f"{conversation} {number}")
        text = flat_text(folder / "documents" / path) if path else ""
        said = quoted_from(text, span[0], span[1], drawn) if path else one.get("answer", "")
        return one.get("standalone", asked[conversation, number]), said

    for (conversation, number), one in own.items():
        if "standalone" in one and number > 1:
            known = [before for before in range(number - 4, number) if (conversation, before) in asked]
            before = tuple(turn(conversation, one) for one in known)
            of = TOLD_SET if "answer" in one else OWN_SET
            yield Example(of, conversation, asked[conversation, number], before, one["standalone"])


def quoted_from(text: str, start: int, end: int, drawn: random.Random) -> str:
    """A sentence of a document as it is quoted: alone, or with one before it, or one or two behind it."""
    around = text[max(0, start - NEAR) : start], text[end : end + NEAR]
    before, behind = ([part[slice(*one)] for one in split(part)] for part in around)
    first, last = (before[-1:], []) if drawn.random() < ONE_BEFORE else ([], behind[: drawn.choice(BEHIND_IT)])
    return " ".join([*first, text[start:end], *last])


ONE_BEFORE, BEHIND_IT, NEAR = 0.2, (0, 0, 1, 2), 400

COLLECTED = ("questions", "varied", "more", "plenty", "further")


@cache
def flat_text(path: Path) -> str:
    """A document without tags, in one line."""
    text = path.read_text("utf-8", errors="replace")
    return " ".join((_TAGS.sub(" ", text) if path.suffix.startswith(".htm") else text).split())


_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]+>", re.DOTALL | re.IGNORECASE)


LEADS = ("and {}", "and {}?", "what about {}?", "how about {}", "{}?", "and what about {}?", "ok, and {}?", "{}")
MEANT = ("no, i mean {}", "i meant {}", "no, {}", "sorry, {}", "i mean {}", "not that, {}")
"""How a fragment, and a correction, is said that names another part of the question before."""


BEHIND = frozenset("in on at for with to from by after before without during under per about against near".split())


class Part(NamedTuple):
    """A part of a question that stands alone: `text`, behind the word `prefix`; `without` is the question as it is
    without it, empty where it is needed."""

    example: Example
    prefix: str
    text: str
    without: str

    @property
    def kind(self) -> tuple[str, str]:
        """Parts of one kind take each other's places."""
        first = self.text.split()[0]
        form = "number" if first[0].isdigit() else "name" if first[0].isupper() else "word"
        return self.prefix, first.casefold() if first.casefold() in FUNCTION_WORDS else form


def parts_of(one: Example, tokenizer: Any) -> Iterator[Part]:
    """What people put in, and what stands behind the last preposition."""
    words = bare(one.wanted).split()
    at = max((n for n, word in enumerate(words) if word.casefold() in BEHIND), default=0)
    if at > 2 and 1 <= len(words) - at - 1 <= 3:
        yield Part(one, words[at].casefold(), " ".join(words[at + 1 :]), " ".join(words[:at]))
    reading = read(one.question, one.before, tokenizer)
    if THIS not in reading.bases:
        return
    edits, near = target(reading, one.wanted)
    if near < 1 or edits.mode != THIS or len(edits.inserts) != 1 or edits.inserts[0].last < edits.inserts[0].first:
        return
    insert = edits.inserts[0]
    text = reading.text(insert.first, insert.last)
    once = bare(one.wanted).casefold().count(text.casefold()) == 1
    if len(insert.prefix.split()) < 3 and not insert.suffix and len(text.split()) <= 6 and once:
        yield Part(one, insert.prefix, text, "")


def fragments(found: Sequence[Example], tokenizer: Any, most: int, drawn: random.Random) -> Iterator[Example]:
    """Made of questions that people made to stand alone: another part takes the place of one, as a fragment behind the
    question, or is what a fragment adds to it."""
    short = [one for one in found if len(one.wanted.split()) <= 18]
    parts = [part for one in short for part in parts_of(one, tokenizer)]
    like: dict[Any, list[Part]] = defaultdict(list)
    for part in parts:
        like[part.kind].append(part)
        like[part.kind, _collection(part.example)].append(part)
    for part in drawn.sample(parts, min(most, len(parts))):
        whole, one = bare(part.example.wanted), part.example
        other = drawn.choice(like[part.kind, _collection(one)] if drawn.random() < 0.6 else like[part.kind])
        if other.text.casefold() in whole.casefold() or part.text.casefold() in other.text.casefold():
            other = drawn.choice(like[part.kind])
        if other.text.casefold() in whole.casefold() or part.text.casefold() in other.text.casefold():
            continue
        said = f"{part.prefix} {other.text}".strip() if drawn.random() < 0.8 else other.text
        asked = drawn.choice(LEADS if drawn.random() < 0.75 else MEANT).format(said)
        answer = drawn.choice([one.before[-1][1], "", ""]) if one.before else ""
        before = one.before[-2:] if drawn.random() < 0.5 else ()
        if part.without and drawn.random() < 0.35:
            made = f"{part.without} {part.prefix} {other.text}"
            yield Example(MADE, one.conversation, asked, (*before, (part.without, answer)), made)
        else:
            at = whole.casefold().rindex(part.text.casefold())
            made = f"{whole[:at]}{other.text}{whole[at + len(part.text) :]}"
            yield Example(MADE, one.conversation, asked, (*before, (whole, answer)), made)


MADE, MADE_OF_OTHERS, STANDING = "made", "made_of_others", "standing"


def made_of(found: Sequence[Example], tokenizer: Any, drawn: random.Random) -> Iterator[Example]:
    """Fragments, and questions as they stand alone, which are to be left so."""
    own = [one for one in found if one.set in (OWN_SET, TOLD_SET)]
    others = [one for one in found if one.set.startswith("canard")]
    yield from fragments(own, tokenizer, MOST_MADE, drawn)
    for one in fragments(drawn.sample(others, min(len(others), 3 * MOST_MADE)), tokenizer, MOST_MADE, drawn):
        yield replace(one, set=MADE_OF_OTHERS)
    for one in drawn.sample(own, len(own) // 4):
        yield replace(one, set=STANDING, question=one.wanted)


MOST_MADE = 3000


def _collection(one: Example) -> str:
    return one.conversation.rsplit("-", 1)[0]


def words_of(text: str) -> list[str]:
    return [word.casefold().replace("\u2019", "'") for word in WORD.findall(text)]


def worth(word: str) -> float:
    return 2.0 if word not in FUNCTION_WORDS and word[0].isalnum() else 1.0


def hunks(base: Sequence[str], wanted: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Where they differ, after the alignment of most worth, in which what goes on is worth more."""
    n, m = len(base), len(wanted)
    best = [[(0.0, 0)] * (m + 1) for _ in range(n + 1)]
    back = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            found, run, step = best[i + 1][j][0], 0, 1
            if best[i][j + 1][0] > found:
                found, step = best[i][j + 1][0], 2
            if base[i] == wanted[j]:
                on = best[i + 1][j + 1][0] + worth(base[i]) + (0.6 if best[i + 1][j + 1][1] or i + 1 == n else 0)
                if on >= found:
                    found, run, step = on, 1, 3
            best[i][j] = found, run
            back[i][j] = step
    parts: list[tuple[int, int, int, int]] = []
    i, j, since = 0, 0, (0, 0)
    while i < n and j < m:
        step = back[i][j]
        if step == 3:
            if (i, j) != since:
                parts.append((since[0], i, since[1], j))
            i, j = i + 1, j + 1
            since = i, j
        elif step == 1:
            i += 1
        else:
            j += 1
    if since != (n, m):
        parts.append((since[0], n, since[1], m))
    return parts


def spans_in(
    inserted: Sequence[str], context: Sequence[tuple[str, int]], slots: int
) -> list[tuple[int, int, int, int]]:
    """The longest of them that stand in the context, in order: (first, last) there and (start, end) in `inserted`."""
    best: tuple[float, int, int, int] | None = None
    for start in range(len(inserted)):
        for at in range(len(context)):
            length = 0
            while (
                start + length < len(inserted)
                and at + length < len(context)
                and length < LONGEST_SPAN
                and context[at + length] == (inserted[start + length], context[at][1])
            ):
                length += 1
            value = sum(worth(one) for one in inserted[start : start + length] if worth(one) > 1) + 0.01 * length
            if length and value > 1 and (best is None or value > best[0]):
                best = value, start, at, length
    if best is None:
        return []
    _, start, at, length = best
    found = [(at, at + length - 1, start, start + length)]
    if slots > 1:
        left, right = inserted[:start], inserted[start + length :]
        one, other = spans_in(left, context, 1), spans_in(right, context, 1)
        if one and (not other or sum(map(worth, left)) >= sum(map(worth, right))):
            return [*one, *found]
        if other:
            a, b, c, d = other[0]
            return [*found, (a, b, c + start + length, d + start + length)]
    return found


def aligned(
    reading: TaggerInput, mode: int, wanted: str, prefixes: Sequence[str] | None, suffixes: Sequence[str] | None
) -> Edits:
    base = reading.bases[mode]
    folded = [reading.texts[w.segment][slice(*w.span)].casefold().replace("\u2019", "'") for w in reading.words]
    goal = words_of(bare(wanted))
    of_base = reading.words[base[0]].segment
    context = [(word, reading.words[n].segment) for n, word in enumerate(folded)]
    context = [(w, s) if s != of_base else ("\0", s) for w, s in context]
    deleted: set[int] = set()
    inserts: list[Insert] = []
    for i, j, k, to in hunks([folded[n] for n in base], goal):
        added = goal[k:to]
        found = spans_in(added, context, SLOTS)
        gone = set(range(i, j))
        if mode == THIS and not found and any(worth(one) > 1 for one in added):
            gone = set()  # what is wanted in their place is not there
        deleted |= gone
        done = 0
        for n, (first, last, start, end) in enumerate(found):
            prefix = " ".join(added[done:start])
            suffix = " ".join(added[end:]) if n == len(found) - 1 else ""
            done = end
            inserts.append(Insert(i, _known(prefix, prefixes), first, last, _known(suffix, suffixes)))
        if not found and added and prefixes and " ".join(added) in prefixes:
            inserts.append(Insert(i, " ".join(added), 0, -1, ""))
    if mode == THIS and not deleted and not inserts:
        return Edits(LEAVE)
    return Edits(mode, frozenset(deleted), tuple(inserts))


def _known(text: str, inventory: Sequence[str] | None) -> str:
    if inventory is None or text in inventory:
        return text
    parts = text.split()
    for one in sorted(inventory, key=lambda one: -len(one)):
        if one and (parts[: len(one.split())] == one.split() or parts[-len(one.split()) :] == one.split()):
            return one
    return ""


def f1(made: str, wanted: str) -> float:
    one, other = set(stemmed_words(made)), set(stemmed_words(wanted))
    return 2 * len(one & other) / max(1, len(one) + len(other))


def cost(edits: Edits) -> float:
    return len(edits.inserts) + 0.3 * len(edits.deleted) + (0.5 if edits.mode == PREVIOUS else 0)


def target(
    reading: TaggerInput, wanted: str, prefixes: Sequence[str] | None = None, suffixes: Sequence[str] | None = None
) -> tuple[Edits, float]:
    """The edits that come nearest to what is wanted, and how near."""
    made = []
    for mode in reading.bases:
        edits = aligned(reading, mode, wanted, prefixes, suffixes)
        text = applied(reading, edits)
        near = f1(text, wanted) if words_of(text) != words_of(bare(wanted)) else 1.05
        made.append((near - 0.02 * cost(edits), near, edits))
    _, near, edits = max(made, key=lambda one: one[0])
    return edits, near


FEWEST = 25
"""How often a prefix or suffix must be needed to be in the inventory."""


def inventories(readings: Sequence[tuple[TaggerInput, str]]) -> Inventory:
    prefixes, suffixes = Counter[str](), Counter[str]()
    for reading, wanted in readings:
        edits, _ = target(reading, wanted)
        for one in edits.inserts:
            if one.last >= one.first:
                prefixes[one.prefix] += 1
                suffixes[one.suffix] += 1
    first, last = (
        tuple(text for text, n in found.most_common(most) if n >= FEWEST)
        for found, most in ((prefixes, 48), (suffixes, 8))
    )
    return Inventory(first, last)


@dataclass(slots=True)
class Prepared:
    """Of an example, what the heads are to say."""

    set: str
    reading: TaggerInput
    wanted: str
    mode: int
    deleted: list[int]
    inserts: list[tuple[int, int, int, int, list[int], list[int]]]
    weight: float = 1.0


def prepared(example: Example, tokenizer: Any, inventory: Inventory) -> Prepared | None:
    reading = read(example.question, example.before, tokenizer)
    if THIS not in reading.bases or len(reading.kinds) < 2:
        return None
    edits, _ = target(reading, example.wanted, inventory.prefixes, inventory.suffixes)
    folded = [reading.texts[w.segment][slice(*w.span)].casefold() for w in reading.words]
    inserts = []
    slots: Counter[int] = Counter()
    if edits.mode != LEAVE:
        base = reading.words[reading.bases[edits.mode][0]].segment
        for one in edits.inserts:
            slot, slots[one.gap] = slots[one.gap], slots[one.gap] + 1
            if slot >= SLOTS:
                continue
            starts, ends = [0], [0]
            if one.last >= one.first:
                wanted = folded[one.first : one.last + 1]
                starts, ends = [], []
                for at in range(len(folded) - len(wanted) + 1):
                    inside = reading.words[at : at + len(wanted)]
                    if (
                        folded[at : at + len(wanted)] == wanted
                        and len({w.segment for w in inside}) == 1
                        and inside[0].segment != base
                    ):
                        starts.append(inside[0].first)
                        ends.append(inside[-1].last)
            inserts.append(
                (
                    one.gap,
                    slot,
                    1 + inventory.prefixes.index(one.prefix),
                    inventory.suffixes.index(one.suffix),
                    starts,
                    ends,
                )
            )
    return Prepared(example.set, reading, example.wanted, edits.mode, sorted(edits.deleted), inserts)


def examples(data: Path) -> list[Example]:
    files = [data / "qa" / f"{name}.jsonl.gz" for name in ("rewrites", "conversations")]
    return [*(one for file in files for one in of_sets(file)), *of_own(data)]
