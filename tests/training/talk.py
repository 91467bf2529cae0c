"""The classifier of talk: `python -m tests.training.talk DATA` writes `memory/dialogue/intents.json`.

A softmax over the features of `memory/dialogue/intents.py`, fitted on the phrases of `talk_phrases.txt` and, as what is
no talk, on questions of DATA/qa (split `train`). `--measure` fits nothing: it prints how many of the phrases of
tests/memory/dialogue/held_out.txt that are not in the table are recognised, and which questions of DATA/qa are taken
for talk.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from clew.memory.dialogue.intents import INTENTS, QUESTION, SHIPPED, features, heard, plain
from clew.memory.language.telling import language_of
from clew.memory.text import LANGUAGES, content_words, written_words
from tests.training.asked_turns import FOLDER
from tests.training.records import lines_of
from tests.training.trainer import trainer

TABLE = FOLDER / "talk_phrases.txt"
HELD_OUT = Path(__file__).parent.parent / "memory" / "dialogue" / "held_out.txt"

MOST_OF_ONE = 60
"""Expansions of one phrase of the table, spread over all."""

FEWEST = 6
"""Texts that a feature has to be in."""

QUESTIONS = 6000
"""Of the data sets; a third of them in other languages than English."""

STRENGTH = 30.0
"""C of scikit-learn's logistic regression."""

THINGS = 6000
"""Phrases that only name a thing, as what is no talk."""

OF_TALK = 12
"""Phrases from which a word is one of talk, and no thing."""

NAMING = {
    "en": "my {}|the {}|{}?|next {}?|today's {}?|show {}|find {}|explain {}|any {}?|your {}?|new {}|{}|and the {}?"
    "|what are your {}?|our {}|wrong {}|good {}|this {}?|the first {}|more {}|{} again|{} source|evening {}|last {}"
    "|list {}|this week's {}?|human {}|which {}?",
    "de": "mein {}|meine {}|der {}|die {}|{}?|nächste {}?|zeig {}|erkläre {}|heutige {}?|unser {}|neue {}|welche {}?",
    "fr": "mon {}|ma {}|le {}|la {}|{} ?|prochain {} ?|montre {}|explique {}|notre {}|quel {} ?|nouveau {}",
    "es": "mi {}|el {}|la {}|¿{}?|próximo {}|muestra {}|explica {}|nuestro {}|¿qué {}?|nuevo {}",
    "it": "il mio {}|la mia {}|il {}|la {}|{}?|prossimo {}?|mostra {}|spiega {}|quale {}?|nuovo {}",
    "eo": "mia {}|la {}|{}?|sekva {}?|montru {}|klarigu {}|nia {}|nova {}",
}
"""How a person asks for a thing in two words, by language."""

SHORT_QUESTIONS = (
    "(and/) (up to/down to/from/until/since/by/for/with/in) (how much/how many/how long/how far/which/whom/what)(?/)",
    "(and/) (what is/what's/what was) (his/her/their/its/her first/his last) name(?/)",
    "(and/but/) where (was/were) (that/this/it/they/he/she)(?/)",
    "(merci, /bonjour, /)combien (ça/cela) (vaut/dure/coûte par mois/pèse) ?",
)
"""What is asked of what was just spoken of, and is no talk about the answer."""

SHARE, THING_SHARE = 3.0, 0.1
"""What a question of the table, and a thing that is named, count beside a question of a data set."""

SMALLEST = 0.4
"""Weights below are left out."""

_CHOICE = re.compile(r"\(([^()]*)\)")


def phrases(path: Path) -> Iterator[tuple[str, str, str]]:
    """Class, language and phrase of each line of a table, unexpanded."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            language, _, rest = line.partition(" | ")
            yield from ((name, language, phrase.strip()) for phrase in rest.split(" | "))


def expanded(phrase: str) -> list[str]:
    """`(a/b/) c`: 'a c', 'b c', 'c'; at most `MOST_OF_ONE`, evenly spread."""
    parts = _CHOICE.split(phrase)
    choices = [part.split("/") if place % 2 else [part] for place, part in enumerate(parts)]
    made = list(dict.fromkeys(" ".join("".join(chosen).split()) for chosen in product(*choices)))
    step = max(1.0, len(made) / MOST_OF_ONE)
    return [made[int(place * step)] for place in range(min(len(made), MOST_OF_ONE)) if made[int(place * step)]]


def fitted_on() -> list[tuple[str, str, str]]:
    return [(name, language, text) for name, language, phrase in phrases(TABLE) for text in expanded(phrase)]


def questions(data: Path, splits: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Set and text of the questions of `data/qa`, each text once."""
    found: dict[str, str] = {}
    for name in ("spans", "yesno", "faq", "conversations", "spans_multilingual"):
        for record in lines_of(data / "qa" / f"{name}.jsonl.gz"):
            if record["split"] in splits and record.get("lang", "en") in NAMING:
                for turn in record.get("turns") or [record]:
                    text = turn.get("question") or ""
                    if text.strip():
                        found.setdefault(text, f"{record['set']}-{record.get('lang') or 'en'}")
    yield from ((name, text) for text, name in found.items())


def chosen_questions(data: Path) -> list[str]:
    """So many of each set, evenly spread; none of doc2dial, whose people also thank and say no."""
    by_set: dict[str, list[str]] = defaultdict(list)
    for name, text in questions(data, ("train",)):
        if not re.match(r"doc2dial", name):
            by_set[name].append(text)
    most = QUESTIONS // len(by_set)
    return [text for texts in by_set.values() for text in texts[:: max(1, len(texts) // most)][:most]]


def things(asked: Sequence[str]) -> list[str]:
    """'My rent', 'next bus?': of the words of questions that few phrases of talk have, each in one way to ask."""
    told = Counter(word for name, _, text in fitted_on() if name != QUESTION for word in {*plain(text).split()})
    known = {word for word, count in told.items() if count >= OF_TALK}
    found: dict[str, list[str]] = {language: [] for language in NAMING}
    for text in asked:
        told_in = language_of(text)
        language = told_in if told_in in NAMING else "en"
        kept = [word for word in content(text) if len(word) > 2 and word.isalpha() and plain(word) not in known]
        found[language] += kept
    made = []
    for language, words in found.items():
        ways = NAMING[language].split("|")
        made += [ways[place % len(ways)].format(word) for place, word in enumerate(dict.fromkeys(words))]
    return made[:: max(1, len(made) // THINGS)][:THINGS]


def content(text: str) -> list[str]:
    """Its words in lower case that are no function words."""
    return [word.casefold() for word in written_words(text) if content_words(word)]


def train(data: Path) -> dict[str, Any]:
    """The content of `intents.json`."""
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    known = fitted_on()
    classes = (*INTENTS, QUESTION)
    asked = [*chosen_questions(data), *(text for phrase in SHORT_QUESTIONS for text in expanded(phrase))]
    texts = [*(text for _, _, text in known), *asked, *things(asked)]
    labels = np.array([classes.index(name) for name, _, _ in known] + [len(INTENTS)] * (len(texts) - len(known)))
    each = [features(text) for text in texts]
    counts = Counter(feature for found in each for feature in found)
    of_talk = {feature for found in each[: len(known)] for feature in found}
    places = {f: n for n, f in enumerate(sorted(f for f, count in counts.items() if count >= FEWEST and f in of_talk))}
    cells = [(row, places[f], len(found) ** -0.5) for row, found in enumerate(each) for f in found if f in places]
    rows, columns, values = zip(*cells, strict=True)
    matrix = csr_array((values, (rows, columns)), shape=(len(texts), len(places)))
    share = np.array(
        [SHARE if name == QUESTION else 1.0 for name, _, _ in known]
        + [1.0] * len(asked)
        + [THING_SHARE] * (len(texts) - len(known) - len(asked))
    )
    model = LogisticRegression(C=STRENGTH, max_iter=300).fit(matrix, labels, sample_weight=share)
    weights: dict[str, dict[str, float]] = {}
    for feature, column in places.items():
        kept = {str(n): round(float(w), 1) for n, w in enumerate(model.coef_[:, column]) if abs(w) >= SMALLEST}
        weights |= {feature: kept} if kept else {}
    return {
        "classes": classes,
        "intercepts": [round(float(value), 2) for value in model.intercept_],
        "weights": weights,
        "words": _words(known),
    }


def made(data: Path, _: Path) -> dict[Path, str]:
    return {SHIPPED: json.dumps(train(data), ensure_ascii=False, indent=0, sort_keys=True) + "\n"}


def _words(known: Sequence[tuple[str, str, str]]) -> Mapping[str, str]:
    """The words of talk, each with its languages."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, language, text in known:
        if name != QUESTION:
            for word in plain(text).split():
                found[word].add(language)
    return {word: " ".join(one for one in LANGUAGES if one in found[word]) for word in sorted(found) if word.isalnum()}


def held_out(path: Path = HELD_OUT) -> list[tuple[str, str, str]]:
    """What is tested on: nothing that stands in the table."""
    known = {plain(text) for _, _, text in fitted_on()}
    return [one for one in phrases(path) if plain(one[2]) not in known]


def report(data: Path, _: Path) -> Iterator[str]:
    """Lines: of each intent, then of each language, the share recognised, and how many are searched or taken for other
    talk; then the questions that are taken for talk."""
    rows = [(name, language, text, heard(text)) for name, language, text in held_out()]
    for axis in (0, 1):
        for one in dict.fromkeys(row[axis] for row in rows):
            of = [row for row in rows if row[axis] == one and (axis == 0 or row[0] != QUESTION)]
            right = [(row[3].intent or QUESTION) == row[0] for row in of]
            search = sum(row[3].intent is None for row in of)
            other = len(of) - sum(right) - search * (one != QUESTION)
            yield f"{one:10} {len(of):4} right {np.mean(right):.3f}  searched {search}  other talk {other}"
    for splits in (("train",), ("dev", "heldout")):
        asked = list(questions(data, splits))
        taken = [(name, text, heard(text).intent) for name, text in asked if heard(text).intent]
        yield f"{len(asked)} questions of {'/'.join(splits)}: {len(taken)} taken for talk"
        yield from (f"    {name}: {text!r} {intent}" for name, text, intent in taken[:80])


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()
