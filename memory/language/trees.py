"""What the reader makes of a sentence: a tree of words in the names of Universal Dependencies.

It has UD's parts of speech, features, heads and relations (https://universaldependencies.org), and from it come the
keywords that the first stage of a search takes (seed 002).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

CONTENT = ("NOUN", "VERB", "ADJ")

Mood = Literal["question", "command", "statement"]


class WordForm(NamedTuple):
    """A word outside its sentence: part of speech, features (`Case=Nom|Number=Sing`, empty for none) and the parts that
    it is made of. `root` is what dictionaries list; `known` says whether the reader's own roots have it."""

    form: str
    lemma: str
    upos: str
    feats: str = ""
    root: str = ""
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    compound: tuple[str, ...] = ()
    """The roots before the last, which says what the word is, with their suffixes: `akv` of `akvobirdo`."""
    ending: str = ""
    known: bool = True

    def feature(self, name: str) -> str:
        """The value of a feature, empty where the word has none of that name."""
        start = self.feats.find(f"{name}=")
        return self.feats[start + len(name) + 1 :].split("|", 1)[0] if start >= 0 else ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence. `heads[i]` is the place of the word that word `i` depends on, counted from 1, and 0 for the root;
    `roles` are UD's relations."""

    words: tuple[WordForm, ...]
    heads: tuple[int, ...]
    roles: tuple[str, ...]
    mood: Mood = "statement"
    asks: str = ""
    """Of a question: its question word as a lemma, empty where there is none."""
    ids: tuple[str, ...] = ()

    @property
    def root(self) -> int:
        """The place of the root, counted from 0; -1 for no words."""
        return self.heads.index(0) if self.heads else -1

    def children(self, place: int, *roles: str) -> list[int]:
        """The places, from 0, of the words that depend on the one at `place`, with one of the roles (or any)."""
        found = (i for i, head in enumerate(self.heads) if head == place + 1)
        return [i for i in found if not roles or self.roles[i] in roles]

    def keywords(self, stop: frozenset[str], bound: frozenset[str] = frozenset()) -> list[str]:
        """By priority: proper names whole, then the roots of nouns, verbs and adjectives, all those of a compound; in
        lower case, none twice.

        `stop` has roots that say too little (`est`), `bound` parts that do within a compound, before its last root.
        Articles, pronouns, numerals and question words are none.
        """
        names, roots = [], []
        for place, word in enumerate(self.words):
            if word.upos == "PROPN":
                if parts := self._name(place):
                    names.append(" ".join(parts).casefold())
            elif word.upos in CONTENT:
                parts = [*(part for part in word.compound if part not in bound), word.root]
                roots += [root for part in parts if (root := part.casefold()) and root not in stop]
        return list(dict.fromkeys([*names, *roots]))

    def _name(self, place: int) -> list[str]:
        """The lemmas of the name that begins with a word; none where it goes on with one. Below another word, as in
        `doktoro Zamenhof`, its parts stand beside one another."""
        head = self.heads[place] - 1
        if self.roles[place] != "flat":
            return [self.words[place].lemma, *(self.words[at].lemma for at in self.children(place, "flat"))]
        if self.words[head].upos == "PROPN":
            return []
        parts = [at for at in self.children(head, "flat") if self.words[at].upos == "PROPN"]
        return [self.words[at].lemma for at in parts] if parts[0] == place else []

    def as_conllu(self) -> str:
        """Ten columns a word, without the empty line at the end."""
        ids = self.ids or tuple(map(str, range(1, len(self.words) + 1)))
        rows = []
        for id_, word, head, role in zip(ids, self.words, self.heads, self.roles, strict=True):
            above = ids[head - 1] if head else "0"
            rows.append([id_, word.form, word.lemma or "_", word.upos, "_", word.feats or "_", above, role, "_", "_"])
        return "\n".join(map("\t".join, rows))


def aligned(question: Tree, sentence: Tree) -> list[tuple[str, str]]:
    """Words of a question, each with the one of the sentence that is made of the same root, of several the one in the
    same role; and a question word with what stands in its role below the same word: the answer, where it has one."""
    pairs: dict[int, int] = {}
    for place, word in enumerate(question.words):
        alike = [at for at, other in enumerate(sentence.words) if _roots(word) & _roots(other)]
        if alike:
            pairs[place] = max(alike, key=lambda at: sentence.roles[at] == question.roles[place])
    for place, word in enumerate(question.words):
        above = pairs.get(question.heads[place] - 1)
        if above is not None and "Int" in word.feature("PronType"):
            free = [at for at in sentence.children(above, question.roles[place]) if at not in pairs.values()]
            if free:
                pairs[place] = free[0]
    return [(question.words[place].form, sentence.words[at].form) for place, at in sorted(pairs.items())]


def _roots(word: WordForm) -> frozenset[str]:
    """None of a word that says nothing by itself."""
    content = word.upos in (*CONTENT, "PROPN", "NUM", "ADV") and not word.feature("PronType")
    return frozenset(root.casefold() for root in (word.root, *word.compound) if root) if content else frozenset()


def parsed_conllu(lines: Iterable[str], read: Callable[[Sequence[str]], Tree]) -> Iterator[str]:
    """CoNLL-U in, CoNLL-U out, line by line: comments, IDs and FORMs are kept, the other columns are never looked at;
    `read` makes the tree of a sentence's forms.
    Multiword tokens (`3-4`) and empty nodes (`8.1`) stay where they are, without an analysis.
    Raises `ValueError` for a line that is no CoNLL-U."""
    block: list[str] = []
    for line in [*lines, ""]:
        if line := line.rstrip("\r\n"):
            block.append(line)
        elif block:
            yield from _parsed_block(block, read)
            yield ""
            block = []


def _parsed_block(block: Sequence[str], read: Callable[[Sequence[str]], Tree]) -> Iterator[str]:
    rows = [line.split("\t") for line in block if not line.startswith("#")]
    if wrong := next((row for row in rows if len(row) < 2), None):
        raise ValueError(f"no CoNLL-U, which has columns apart by tabs: {wrong[0][:60]!r}")
    own = [(id_, form) for id_, form, *_ in rows if id_.isdigit()]
    tree = replace(read([form for _, form in own]), ids=tuple(id_ for id_, _ in own))
    written = iter(tree.as_conllu().split("\n") if own else ())
    for line in block:
        if line.startswith("#"):
            yield line
        else:
            id_, form, *_ = line.split("\t")
            yield next(written) if id_.isdigit() else "\t".join([id_, form, *"_" * 8])
