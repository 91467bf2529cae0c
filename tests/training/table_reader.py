"""The reader of tables: `python -m tests.training.table_reader DATA` writes `agent/search/table_reader.json`.

Fitted on questions that `made_tables.py` makes, and on questions of DATA/conversations that no row of the tables among
their documents answers. `--measure` keeps a quarter of the tables and of the wordings out, and
prints what the reader makes of these.
"""

import argparse
import json
import random
import re
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from clew.agent.search.table_reader import (
    ASKED,
    COMPARED,
    SHIPPED,
    Asked,
    QuestionWords,
    Softmax,
    TableModel,
    TableReading,
    linked_to,
    ngrams,
    read,
    readings,
)
from clew.memory.datatypes import Document, Floats, Table, Vectors
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.disk import SCHEMA
from clew.memory.knowledge.loaders.registry import discover
from clew.memory.knowledge.loaders.registry import read as read_source
from clew.memory.knowledge.tables import Tables, add_tables, folded
from clew.memory.ports import Encoder, Role
from clew.tools.table import TableRequest
from tests.training.made_tables import TEMPLATES, MadeQuestion, made_tables, questions, table_lines

ROUNDS, EACH, NATURAL = 2, 3, 500
"""How often all tables are drawn, how many questions of each kind are made of one, and how many of people are taken."""

HIDDEN, LIKELY = 16, 0.2

ANSWERS, KINDS, LEAST = ("yes", "no"), ("number", "date", "text"), 0.25

FEWEST = 4
"""Tables in whose questions a word has to stand to need no explanation; questions that have a feature."""


class Remembering:
    """An encoder that keeps what it made, in memory."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self._kept = encoder, dict[str, Any]()
        self.name, self.hash, self.dimension, self.window = (
            encoder.name,
            encoder.hash,
            encoder.dimension,
            encoder.window,
        )
        self.tokens, self.token_vectors = encoder.tokens, encoder.token_vectors

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        for text, vector in zip(missing, self._encoder.encode(missing, role), strict=True):
            self._kept[text] = vector
        return np.array([self._kept[text] for text in texts], np.float32).reshape(-1, self.dimension)


def library(documents: Sequence[tuple[str, str, Sequence[Table]]]) -> Tables:
    """Of documents, by id, title and tables, in memory."""
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    for place, (id_, title, tables) in enumerate(documents):
        row = (id_, title, "", id_, "[]", "[]", "", "", "", id_, place, "", "")
        database.execute(f"INSERT INTO documents VALUES ({', '.join('?' * len(row))})", row)
        add_tables(database, id_, f"{title} {id_}", tables)
    return Tables(lambda sql, values: database.execute(sql, values).fetchall())


Case = tuple[MadeQuestion, Tables]


def cases(
    rng: random.Random, lines: Sequence[str], templates: dict[Asked, tuple[str, ...]], each: int
) -> Iterator[Case]:
    """Questions, and the few tables that they are asked of."""
    drawn = made_tables(rng, lines)
    rng.shuffle(drawn)
    while drawn:
        part, drawn = drawn[: (size := rng.randint(1, 6))], drawn[size:]
        tables = library([(one.file, one.file.removesuffix(".csv"), [one.table]) for one in part])
        for one in part:
            yield from ((question, tables) for question in questions(rng, one, templates, each))


def is_right(reading: TableReading, question: MadeQuestion) -> bool | None:
    """Whether it is what was asked; None where its rows are, though something else is to be shown of them."""
    wanted = question.request
    if (
        wanted is None
        or reading.table.document != question.file
        or said(reading.request, "") != said(wanted, _key(reading))
    ):
        return False
    if question.column:
        head = reading.table.heads[reading.column] if reading.column >= 0 else ""
        return True if head == question.column and reading.asked == "look up" else None
    return reading.asked == question.asked or None


def _key(reading: TableReading) -> str:
    return reading.table.heads[0]


def said(request: TableRequest, key: str) -> tuple[object, ...]:
    """What two requests for the same have both; a condition without a column is of the first."""
    where = {
        (
            one.column or key,
            one.operator,
            frozenset(folded(str(v)) for v in (one.value if isinstance(one.value, tuple) else (one.value,))),
        )
        for one in request.where
    }
    by = request.order_by, request.limit if request.order_by else 0, request.descending
    return frozenset(where), request.aggregate, request.group_by, by


def natural(data: Path, rng: random.Random) -> list[Case]:
    """Questions that people asked of documents with tables in them, and that these do not answer."""
    folder, asked = data / "conversations", defaultdict[str, list[Any]](list)
    for name in ("more", "plenty", "further"):
        for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines():
            asked[(one := json.loads(line))["collection"]].append(one)
    found = list[Case]()
    for collection, its in sorted(asked.items()):
        files = sorted(one for one in (folder / "documents" / collection).rglob("*") if one.suffix in (".md", ".csv"))
        sources = [source for file in files for source in discover([file], data / "no library").sources]
        read = [one for source in sources for one in read_source(source) if isinstance(one, Document) and one.tables]
        rows = [" | ".join(row) for one in read for table in one.tables for row in table.rows]
        tables = library([(one.id, one.title, one.tables) for one in read]) if read else None
        for one in its if tables else ():
            if not any(all(any(re.search(p, row) for p in group) for group in one["must"]) for row in rows):
                found.append((MadeQuestion(one["question"], "other", "", None), tables))  # type: ignore[arg-type]
    return rng.sample(found, min(NATURAL, len(found)))


# Fitted ---------------------------------------------------------------------------------------------------------------


def fitted(found: Sequence[Case], encoder: Encoder) -> TableModel:
    blank = Softmax(COMPARED, np.zeros(len(COMPARED)), np.zeros((encoder.dimension, len(COMPARED))), {})
    model = TableModel(blank, blank, blank, blank, frozenset(), (), LIKELY)
    vectors, grams, kinds = [], [], []
    around: list[tuple[Any, list[str], str]] = []
    kinds_sought: list[tuple[Any, list[str], str]] = []
    flags: list[tuple[Any, list[str], str]] = []
    files: dict[str, set[str]] = defaultdict(set)
    for question, tables in found:
        words = QuestionWords(question.text, encoder, model)
        for one in linked_to(words, tables, encoder, model):
            if one.table.document == question.file or (not question.file and one.margin >= 0):
                vectors.append(words.vector)
                grams.append(ngrams(one.masked))
                kinds.append(question.asked)
                if question.column:
                    place = one.table.heads.index(question.column)
                    kinds_sought.append((words.vector, grams[-1], one.table.columns[place].kind))
                if question.answer:
                    flags.append((words.vector, grams[-1], question.answer))
                for word in one.left if question.request else ():
                    files[word].add(question.file)
        number = question.compared or ("first" if question.request and question.request.order_by else "")
        where = question.request.where if question.request else ()
        around.extend(
            (one.vector, ngrams(one.near), number)
            for one in (words.numbers if number and question.request else ())
            if number == "first" or one.value == str(where[0].value)
        )
    known = frozenset(word for word, where in files.items() if len(where) >= FEWEST)
    compared, answered, sought = (
        softmax(classes, [v for v, *_ in told], [g for _, g, _ in told], [label for *_, label in told])
        for classes, told in ((COMPARED, around), (ANSWERS, flags), (KINDS, kinds_sought))
    )
    model = TableModel(
        softmax(ASKED, np.array(vectors), grams, kinds),
        compared,
        answered,
        sought,
        known,
        (),
        LIKELY,
    )
    rows, labels = list[Sequence[float]](), list[bool]()
    for question, tables in found:
        each = [(one, is_right(one, question)) for one in readings(question.text, tables, encoder, model)]
        told = [(one, right) for one, right in each if right is not None]
        rows += [one.features for one, _ in told]
        labels += [bool(right) for _, right in told]
    print(f"{len(found)} questions, {len(rows)} readings, {sum(labels)} right, {len(known)} known words")
    return replace(model, layers=perceptron(np.array(rows), labels))


def perceptron(rows: Floats, labels: Sequence[bool]) -> list[tuple[Floats, Floats]]:
    """With the scale of each feature among its weights."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    made = MLPClassifier((HIDDEN,), activation="tanh", alpha=1e-2, max_iter=150, early_stopping=True, random_state=1)
    (into, out), (first, last) = made.fit((rows - mean) / scale, labels).coefs_, made.intercepts_
    into = into / scale[:, None]
    return [(np.round(into, 4), np.round(first - mean @ into, 4)), (np.round(out, 4), np.round(last, 4))]


def softmax(classes: Sequence[str], vectors: Any, grams: Sequence[list[str]], labels: Sequence[str]) -> Softmax:
    counts = Counter(gram for one in grams for gram in one)
    names = sorted(gram for gram, count in counts.items() if count >= FEWEST)
    place = {name: n for n, name in enumerate(names)}
    there = np.zeros((len(grams), len(names)), np.float32)
    for row, one in enumerate(grams):
        there[row, [place[gram] for gram in one if gram in place]] = 1.0
    vectors = np.array(vectors)
    regression = LogisticRegression(C=3.0, max_iter=2000).fit(np.hstack([vectors, there]), labels)
    order = [regression.classes_.tolist().index(one) for one in classes]
    coefficients = regression.coef_ if len(classes) > 2 else np.vstack([-regression.coef_, regression.coef_]) / 2
    intercepts = regression.intercept_ if len(classes) > 2 else np.hstack([-1, 1]) * regression.intercept_ / 2
    weights = np.round(coefficients[order].T, 2)
    dimension = vectors.shape[1]
    features = {
        name: {str(at): float(one) for at, one in enumerate(weights[dimension + n]) if abs(one) > LEAST}
        for name, n in place.items()
    }
    features = {name: of for name, of in features.items() if of}
    return Softmax(tuple(classes), np.round(intercepts[order], 3), weights[:dimension].astype(float), features)


def as_json(model: TableModel) -> str:
    def plain(one: Softmax) -> dict[str, object]:
        return {
            "classes": one.classes,
            "intercepts": one.intercepts.tolist(),
            "weights": one.weights.tolist(),
            "features": dict(sorted(one.features.items())),
        }

    said = {
        "asked": plain(model.asked),
        "compared": plain(model.compared),
        "answered": plain(model.answered),
        "sought": plain(model.sought),
        "known": sorted(model.known),
        "layers": [[weights.tolist(), intercepts.tolist()] for weights, intercepts in model.layers],
        "sure": model.sure,
    }
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False) + "\n"


# Measured -------------------------------------------------------------------------------------------------------------


def measured(found: Sequence[Case], encoder: Encoder, model: TableModel) -> None:
    """By kind how many are right, wrong though said, and left alone."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown = Counter[str]()
    for question, tables in found:
        reading = read(question.text, tables, encoder, model)
        right = reading is not None and is_right(reading, question) is not False
        outcome = "left" if reading is None else "right" if right else "wrong"
        counts[question.asked][outcome] += 1
        shown[outcome + question.asked] += 1
        if (outcome == "wrong" and shown[outcome + question.asked] <= 4) or (
            outcome == "left" and question.request and shown[outcome + question.asked] <= 3
        ):
            said_ = f"{reading.asked} {reading.table.document} {reading.request}" if reading else ""
            print(f"  {outcome}: {question.text} ({question.asked}, {question.file}) {said_}")
    for asked in ASKED:
        print(f"{asked:12} {dict(counts[asked])}")
    answerable = sum((counts[one] for one in ASKED[:-1]), Counter[str]())
    print("answerable", {name: round(n / answerable.total(), 3) for name, n in answerable.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--measure", action="store_true")
    given = parser.parse_args()
    rng = random.Random(7)
    lines, templates = table_lines(), dict(TEMPLATES)
    held: list[str] = []
    unseen: dict[Asked, tuple[str, ...]] = {}
    if given.measure:
        held, lines = lines[::4], [line for n, line in enumerate(lines) if n % 4]
        unseen = {asked: texts[::4] for asked, texts in templates.items()}
        templates = {asked: tuple(t for n, t in enumerate(texts) if n % 4) for asked, texts in templates.items()}
    with tempfile.TemporaryDirectory() as cache:
        encoder = Remembering(load_encoder(MINILM, Path(cache)))
        found = [case for _ in range(ROUNDS) for case in cases(rng, lines, templates, EACH)]
        model = fitted([*found, *natural(given.data, rng)], encoder)
        if given.measure:
            measured(list(cases(rng, held, unseen, 6)), encoder, model)
        else:
            SHIPPED.write_text(as_json(model), "utf-8")


if __name__ == "__main__":
    main()
