"""The reader of tables: `python -m tests.training.table_reader DATA` writes `tools/table_reader.json`.

Fitted on questions that seven writers asked of their own tables (`asked_tables.jsonl.gz`), on others that
`made_tables.py` makes, and on questions of DATA/conversations that no row of the tables among their documents answers.
`python -m tests.benchmarks.tables` measures it.
"""

import json
import random
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from clew.agent.settings import read_settings
from clew.memory.datatypes import Document, Floats, Table
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.disk import SCHEMA
from clew.memory.knowledge.loaders.registry import discover
from clew.memory.knowledge.loaders.registry import read as read_source
from clew.memory.knowledge.tables import Tables, add_tables, folded
from clew.memory.ports import Encoder
from clew.memory.vectors import Softmax, ngrams
from clew.tools.table import Condition, TableRequest
from clew.tools.table_links import SHIPPED, QuestionWords, TableModel, linked_to
from clew.tools.table_reader import ASKED, Asked, TableReading, readings
from tests.training.made_tables import TEMPLATES, MadeQuestion, made_tables, questions, request_for, table_lines
from tests.training.records import Record, lines_of
from tests.training.trainer import trainer

WRITTEN, OFTEN = Path(__file__).with_name("asked_tables.jsonl.gz"), 3
"""The tables of the writers, and how often they come, beside others of them each time."""

ROUNDS, EACH, NATURAL = 3, 3, 500
"""How often all tables are drawn, how many questions of each kind are made of one, and how many of people are taken."""

HIDDEN, LIKELY = 32, 0.65

COMPARED = ("=", ">", ">=", "<", "<=", "first")
ANSWERS, KINDS, LEAST = ("yes", "no"), ("number", "date", "text"), 0.25

FEWEST = 4
"""Tables in whose questions a word has to stand to need no explanation; questions that have a feature."""


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


def written(file: Path, rng: random.Random) -> Iterator[Case]:
    """What writers asked of their tables, a few of which stand together."""
    told = list(lines_of(file))
    rng.shuffle(told)
    while told:
        part, told = told[: (size := rng.randint(1, 5))], told[size:]
        named = [(one, one["file"].removesuffix(".csv")) for one in part]
        tables = library(
            [(name, name, [Table("", tuple(one["heads"]), tuple(map(tuple, one["rows"])), 2)]) for one, name in named]
        )
        for one, name in named:
            yield from ((_asked(name, question), tables) for question in one["questions"])


def _asked(file: str, said: Record) -> MadeQuestion:
    asked, head, limit = said["asked"], said.get("column", ""), said.get("limit", 0)
    where = [
        Condition(column=of, operator=how, value=tuple(map(str, value)) if isinstance(value, list) else str(value))
        for of, how, value in said.get("where", [])
    ]
    answer = next((str(one.value).lower() for one in where if str(one.value).lower() in ANSWERS), "")
    compared = next((one.operator for one in where if one.operator != "="), "first" if limit else "")
    request = request_for(asked, head, where, said.get("group_by", ""), limit)
    return MadeQuestion(said["q"], asked, file, request, head if asked == "look up" else "", compared, answer)


def is_right(reading: TableReading, question: MadeQuestion) -> bool | None:
    """Whether it is what was asked; None where its rows are, though something else is to be shown of them."""
    wanted = question.request
    if wanted is None or reading.table.document != question.file:
        return False
    key = reading.table.heads[0]
    if said(reading.request, key) != said(wanted, key):
        return False
    if question.column:
        head = reading.table.heads[reading.column] if reading.column >= 0 else ""
        return True if head == question.column and reading.asked == "look up" else None
    return reading.asked == question.asked or None


def said(request: TableRequest, key: str) -> tuple[object, ...]:
    """What two requests for the same have both; a condition without a column is of the first."""
    where = {
        (one.column or key, one.operator, frozenset(folded(str(value)) for value in one.values))
        for one in request.where
    }
    by = request.order_by, request.limit if request.order_by else 0, request.descending
    return frozenset(where), request.aggregate, request.group_by, by


def natural(data: Path, rng: random.Random) -> list[Case]:
    """Questions that people asked of documents with tables in them, and that these do not answer."""
    folder, asked = data / "conversations", defaultdict[str, list[Any]](list)
    for name in ("more", "plenty", "further"):
        for one in lines_of(folder / f"{name}.jsonl"):
            asked[one["collection"]].append(one)
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


Labelled = list[tuple[Any, list[str], str]]
"""Vectors of texts, their words, and what each is."""


def fitted(found: Sequence[Case], encoder: Encoder) -> TableModel:
    blank = Softmax(COMPARED, np.zeros(len(COMPARED)), np.zeros((encoder.dimension, len(COMPARED))), {})
    model = TableModel(blank, blank, blank, blank, frozenset(), (), LIKELY)
    asked, compared, answered, sought = Labelled(), Labelled(), Labelled(), Labelled()
    files: dict[str, set[str]] = defaultdict(set)
    for question, tables in found:
        words, request = QuestionWords(question.text, encoder, model), question.request
        for one in linked_to(words, tables, encoder, model):
            if one.table.document == question.file or (not question.file and one.margin >= 0):
                asked.append((words.vector, one.masked, question.asked))
                if question.column:
                    kind = one.table.columns[one.table.heads.index(question.column)].kind
                    sought.append((words.vector, one.masked, kind))
                if question.answer:
                    answered.append((words.vector, one.masked, question.answer))
                content = {words.stems[place] for place in words.content}
                for word in content - one.head_words - one.name - one.cells if request else ():
                    files[word].add(question.file)
        number = question.compared or ("first" if request and request.order_by else "")
        compared += [
            (one.vector, one.near, number)
            for one in (words.numbers if number and request else ())
            if number == "first" or (request and one.value == str(request.where[0].value))
        ]
    model = TableModel(
        softmax(ASKED, asked),
        softmax(COMPARED, compared),
        softmax(ANSWERS, answered),
        softmax(KINDS, sought),
        frozenset(word for word, where in files.items() if len(where) >= FEWEST),
        (),
        LIKELY,
    )
    weighed = [
        (one.features, right)
        for question, tables in found
        for one in readings(question.text, tables, encoder, model)
        if (right := is_right(one, question)) is not None
    ]
    print(f"{len(found)} questions, {len(weighed)} readings, {sum(right for _, right in weighed)} right")
    return replace(model, layers=perceptron(np.array([one for one, _ in weighed]), [right for _, right in weighed]))


def perceptron(rows: Floats, labels: Sequence[bool]) -> list[tuple[Floats, Floats]]:
    """With the scale of each feature among its weights."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    made = MLPClassifier((HIDDEN,), activation="tanh", alpha=1e-2, max_iter=150, early_stopping=True, random_state=1)
    (into, out), (first, last) = made.fit((rows - mean) / scale, labels).coefs_, made.intercepts_
    into = into / scale[:, None]
    return [(np.round(into, 4), np.round(first - mean @ into, 4)), (np.round(out, 4), np.round(last, 4))]


def softmax(classes: Sequence[str], told: Labelled) -> Softmax:
    vectors = np.array([vector for vector, *_ in told])
    counter = CountVectorizer(analyzer=ngrams, binary=True, min_df=FEWEST, dtype=np.float32)
    there = counter.fit_transform([words for _, words, _ in told]).toarray()
    regression = LogisticRegression(C=3.0, max_iter=2000).fit(np.hstack([vectors, there]), [one for *_, one in told])
    order = [regression.classes_.tolist().index(one) for one in classes]
    coefficients, intercepts = regression.coef_, regression.intercept_
    if len(classes) == 2:
        coefficients, intercepts = np.vstack([-coefficients, coefficients]) / 2, np.hstack([-1, 1]) * intercepts / 2
    weights = np.round(coefficients[order].T.astype(float), 2)
    dimension = vectors.shape[1]
    features = {
        name: {str(at): float(one) for at, one in enumerate(weights[dimension + n]) if abs(one) > LEAST}
        for n, name in enumerate(counter.get_feature_names_out())
    }
    features = {name: of for name, of in features.items() if of}
    return Softmax(tuple(classes), np.round(intercepts[order].astype(float), 3), weights[:dimension], features)


def as_file(classes: Sequence[str], told: Sequence[tuple[str, str]], words: Callable[[str], list[str]]) -> str:
    """The content of the file of a softmax that tells these texts, each with its class, by vectors and by words."""
    vectors = load_encoder(MINILM, read_settings().cache).encode([text for text, _ in told], "sentence")
    made = softmax(classes, [(vector, words(text), kind) for vector, (text, kind) in zip(vectors, told, strict=True)])
    said = {"intercepts": made.intercepts.tolist(), "weights": made.weights.tolist(), "features": made.features}
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False) + "\n"


def as_json(model: TableModel) -> str:
    said = {name: getattr(model, name) for name in ("asked", "compared", "answered", "sought", "layers", "sure")}
    said["known"] = sorted(model.known)
    return json.dumps(said, default=_plain, separators=(",", ":"), ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return {one.name: getattr(value, one.name) for one in fields(value)}


def made(data: Path, _: Path) -> dict[Path, str]:
    rng, encoder = random.Random(7), load_encoder(MINILM, read_settings().cache)
    found = [case for _ in range(ROUNDS) for case in cases(rng, table_lines(), TEMPLATES, EACH)]
    asked = [case for _ in range(OFTEN) for case in written(WRITTEN, rng)]
    return {SHIPPED: as_json(fitted([*found, *asked, *natural(data, rng)], encoder))}


main = trainer(__doc__, made)

if __name__ == "__main__":
    main()
