"""What the reader makes of a sentence: a tree of words in the names of Universal Dependencies.

It has UD's parts of speech, features, heads and relations (https://universaldependencies.org), and from it come the
keywords that the first stage of a search takes (seed 002).
"""

from dataclasses import dataclass
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
