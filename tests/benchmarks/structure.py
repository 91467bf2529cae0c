"""Which stage finds the sentence that answers a question in Esperanto: keywords, vectors, trees, and two together.

python -m tests.benchmarks.structure DATA --json

The passages are all sentences of the Fundamenta Krestomatio (Zamenhof 1903). Its sections are documents; every fifth is
held out: the Tree-LSTM learns from the others, and the questions are about sentences of those. In part `kept` a phrase
of the sentence is replaced by its ki-word and all other words are kept, so that keywords win by construction. In part
`other` the content roots of such questions stand under other endings and affixes, or are synonyms. Part `hand` has the
questions of `esperanto_questions.txt` about four more sections that nothing is learned from. `keywords` are the content
roots that both share, `index` is the keyword index that a library has. MiniLM, the encoder, was not taught Esperanto,
and no encoder here was.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.json_lines import as_line
from clew.memory.knowledge.keywords import KeywordAnalyser, KeywordIndex, KeywordParameters, write
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.structure_training import StructurePlan, train_structure
from clew.memory.language.tree_lstm import TreeLSTM, numbered
from clew.memory.language.trees import Tree
from clew.memory.text import split

READER = Esperanto()
BY_HAND = (2, 14, 21, 27)
"""Sections, and the file of the questions about them."""
HELD_OUT, LEARNED_SENTENCES, CANDIDATES, MOST = 5, (4, 60), 100, 300
KI = {"nsubj": "Kiu", "obj": "Kion", "en": "Kie", "sur": "Kie", "ĉe": "Kie", "sub": "Kie", "antaŭ": "Kie"}
TIMES = frozenset("tag jar nokt vesper maten hor temp semajn monat".split())

SYNONYMS = dict(
    pair.split(">")
    for pair in (
        "grand>vast bel>ĉarm dom>loĝej vid>rigard dir>parol infan>knab ir>marŝ rapid>haste bon>bonkor reĝ>monark"
        " vir>hom vojaĝ>veturad timi>teruri am>ŝat mort>pere vent>blov riĉ>havul forest>arbar ĉeval>rajdbest"
        " respond>rediri demand>pet voj>strat lum>bril granda>vasta mar>ocean ŝip>boat batal>milit labor>penad"
        " ĝoj>feliĉ trist>malgaj saĝ>prudent forta>potenc mon>or help>asist ven>alven kuŝ>ripoz don>transdon"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    sentence: int


def sections(data: Path) -> list[list[str]]:
    """The sentences of each section, of 4 to 60 words."""
    text = (data / "esperanto" / "krestomatio.txt").read_text("utf-8").replace("_", "")
    parts = [part for part in re.split(r"\n\s*---\s*\n", text) if len(part) > 400]
    fewest, most = LEARNED_SENTENCES
    found = [[" ".join(part[a:b].split()) for a, b in split(part)] for part in parts]
    return [[one for one in part if fewest <= len(one.split()) <= most] for part in found]


def questions(sentences: Sequence[tuple[int, Tree]]) -> Iterator[tuple[int, list[str]]]:
    """Of each sentence whose main clause has such a phrase: the forms of the question."""
    for number, tree in sentences:
        root = tree.root
        if tree.mood != "statement" or tree.words[root].upos != "VERB" or tree.words[root].feature("VerbForm") != "Fin":
            continue
        for place in tree.children(root, "nsubj", "obj", "obl"):
            word = tree.words[place]
            if word.upos not in ("NOUN", "PROPN"):
                continue
            case = next((tree.words[one].lemma for one in tree.children(place, "case")), "")
            asks = (
                "Kiam" if word.root in TIMES and tree.roles[place] == "obl" else KI.get(case or tree.roles[place], "")
            )
            left = _clause(tree, root, place)
            if asks and 3 <= len(left) <= 14:
                verb = left.index(root)
                rest = [left[verb], *left[:verb], *left[verb + 1 :]]
                yield number, [asks, *(tree.words[one].form for one in rest)]
                break


def _clause(tree: Tree, root: int, without: int) -> list[int]:
    """The places of the main clause but for one phrase, other clauses and marks."""
    kept, waiting = [], [root]
    while waiting:
        at = waiting.pop()
        kept.append(at)
        out = ("punct", "advcl", "ccomp", "acl", "parataxis", "cc", "discourse", "vocative")
        waiting += [
            c
            for c in tree.children(at)
            if c != without and tree.roles[c] not in out and (at != root or tree.roles[c] != "conj")
        ]
    return sorted(kept)


def by_hand(texts: Sequence[str]) -> list[Asked]:
    """Raises `ValueError` where the words of a question are not those of one sentence alone."""
    lines = Path(__file__).with_name("esperanto_questions.txt").read_text("utf-8").splitlines()[1:]
    found = []
    for question, words in (line.split(" | ") for line in lines):
        [sentence] = [number for number, text in enumerate(texts) if words in text]
        found.append(Asked(question, sentence))
    return found


def index_shares(asked: Sequence[Asked], texts: Sequence[str]) -> "Scores":
    """What the keyword index of a library says of each passage, shape (questions, passages)."""
    with TemporaryDirectory() as folder:
        parameters = KeywordParameters()
        list(write(Path(folder), KeywordAnalyser(parameters).fields([""] * len(texts), texts), parameters))
        index = KeywordIndex(Path(folder), parameters, len(texts))
        shares = np.zeros((len(asked), len(texts)), np.float32)
        for number, one in enumerate(asked):
            for hit in index.hits(one.text, len(texts), lambda rows: [*map(str, rows)]):
                shares[number, int(hit.chunk)] = hit.score
        return shares


def other_words(forms: Sequence[str]) -> str | None:
    """The content roots as synonyms or derived forms, at least two of them; none where there are fewer."""
    made, changed = [], 0
    for form in forms:
        word = READER.analyser.word(form)
        stem, ending = form[: len(form) - len(word.ending)], word.ending
        if word.upos in ("NOUN", "VERB", "ADJ") and word.known and ending and word.root != "est":
            new = stem.replace(word.root, SYNONYMS[word.root]) if word.root in SYNONYMS else ""
            derived = {"VERB": stem + "ad", "NOUN": stem + "et", "ADJ": stem + "eg"}[word.upos]
            made.append((new or derived) + ending)
            changed += 1
        else:
            made.append(form)
    return " ".join(made) + "?" if changed > 1 else None


def roots_of(tree: Tree) -> list[str]:
    return [
        word.root.casefold()
        for word in tree.words
        if word.upos in ("NOUN", "VERB", "ADJ", "PROPN", "ADV") and word.root != "est"
    ]


Scores = NDArray[np.floating[Any]]


def measured(scores: Scores, asked: Sequence[Asked]) -> dict[str, float]:
    found, ranks = 0, 0.0
    for own, one in zip(scores, asked, strict=True):
        place = np.flatnonzero(np.argsort(-own, kind="stable")[:CANDIDATES] == one.sentence)
        if len(place):
            ranks += 1 / (place[0] + 1)
            found += place[0] < 5
    return {"recall@5": round(found / len(asked), 3), "mrr": round(ranks / len(asked), 3)}


def table(
    asked: Sequence[Asked], trees: Sequence[Tree], vectors: NDArray[np.float32], texts: Sequence[str], network: TreeLSTM
) -> dict[str, dict[str, float]]:
    """Each method's row; `trees` and `vectors` (of the encoder) are those of the passages."""
    read = [READER.read(one.text) for one in asked]
    near = encoder_for(read_settings()).encode([one.text for one in asked], "query") @ vectors.T
    like = network.encode([numbered(tree) for tree in read]) @ network.encode([numbered(tree) for tree in trees]).T
    bags = [set(roots_of(tree)) for tree in trees]
    keywords = np.array([[len(set(READER.keywords(tree)) & bag) for bag in bags] for tree in read], float)
    own = index_shares(asked, texts)
    rows = {"keywords": keywords, "index": own, "encoder": near, "Tree-LSTM": like}
    rows |= {"index + encoder": 0.45 * own + 0.55 * near, "index + Tree-LSTM": 0.45 * own + 0.55 * like}
    return {name: measured(scores, asked) for name, scores in rows.items()}


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@click.option("--json", is_flag=True, expose_value=False, help="A JSON object a line, always.")
def main(data: Path) -> None:
    places = [(at, text) for at, part in enumerate(sections(data)) for text in part]
    texts = [text for _, text in places]
    trees = [READER.read(text) for text in texts]
    held = [(number, trees[number]) for number, (at, _) in enumerate(places) if at % HELD_OUT == 0]
    learned = [tree for (at, _), tree in zip(places, trees, strict=True) if at % HELD_OUT and at not in BY_HAND]
    made = list(questions(held))
    random.Random(7).shuffle(made)
    sets = {"kept": [Asked(" ".join(forms) + "?", of) for of, forms in made][:MOST]}
    sets["other"] = [Asked(text, of) for of, forms in made if (text := other_words(forms))][:MOST]
    sets["hand"] = by_hand(texts)
    events = train_structure(learned, READER, StructurePlan())
    network = next(one for one in events if isinstance(one, TreeLSTM))
    vectors = encoder_for(read_settings()).encode(texts, "passage")
    for name, asked in sets.items():
        for method, metrics in table(asked, trees, vectors, texts, network).items():
            row = {"part": name, "questions": len(asked), "passages": len(texts), "method": method, **metrics}
            click.echo(as_line(row), nl=False)


if __name__ == "__main__":
    main()
