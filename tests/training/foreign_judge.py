"""The judge of questions in another language than English, in which the documents are too, with `clew[multilingual]`.

    python -m tests.training.foreign_judge DATA              writes agent/answer/foreign_judge.json
    python -m tests.training.foreign_judge DATA --crossval   each language by what was fitted on the other

DATA holds `qa/spans_multilingual.jsonl.gz`. Of each article of XQuAD in German and Spanish half the passages are
indexed: the questions of the others cannot be answered, though the library is about the same.
"""

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from clew.agent.answer.judge import FOREIGN, Decision, signals
from clew.agent.answer.quoted import evidence_for
from clew.agent.assistant import Assistant
from clew.agent.evaluation.answer_metrics import UNANSWERABLE
from clew.agent.evaluation.evaluate import searched
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.encoding import MULTILINGUAL
from clew.memory.knowledge.index.run import index
from tests.training.records import Record
from tests.training.trainer import logistic, trainer

SET, LANGUAGES = "xquad", ("de", "es")
OF_PASSAGE, SEED, C, COST = 4, 5, 0.03, 0.02
"""Questions of a passage; the inverse of the L2 penalty; the share of the answerable questions that may be refused."""


class ForeignExample(NamedTuple):
    """Whether a passage that answers a question was there, and what the turn found."""

    label: str
    signals: dict[str, float]


def gathered(data: Path, language: str) -> Iterator[ForeignExample]:
    articles: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(data / "qa" / "spans_multilingual.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if (record["set"], record["lang"], record["split"]) == (SET, language, "train"):
                articles[record["title"]][record["passage_id"]].append(record)
    drawn, asked = random.Random(SEED), list[tuple[str, str]]()
    with TemporaryDirectory() as folder:
        (documents := Path(folder) / "documents").mkdir()
        for n, (title, passages) in enumerate(articles.items()):
            drawn.shuffle(ids := sorted(passages))
            held = ids[: max(1, len(ids) // 2)]
            texts = [f"# {title}", *(passages[one][0]["passage"] for one in held)]
            (documents / f"{n}.md").write_text("\n\n".join(texts), "utf-8")
            for one in ids:
                its = drawn.sample(passages[one], min(OF_PASSAGE, len(passages[one])))
                asked += [(record["question"], "ANSWERABLE" if one in held else UNANSWERABLE) for record in its]
        library = Path(folder) / "library"
        settings = read_settings(library=library, encoder=MULTILINGUAL, llm="none")
        for _ in index([documents], library, encoder_for(settings)):
            pass
        with Assistant.open(settings) as assistant:
            for question, label in asked:
                turn = searched(assistant.services, question, ())
                if turn.passages:
                    yield ForeignExample(label, signals(turn, evidence_for(turn, assistant.services)))


def fit(examples: Sequence[ForeignExample]) -> Decision:
    names = sorted(examples[0].signals)
    values = np.array([[one.signals[name] for name in names] for one in examples])
    model = logistic(names, values, [one.label == UNANSWERABLE for one in examples], C)
    answerable = [model.of(one.signals) for one in examples if one.label != UNANSWERABLE]
    return Decision(model, round(float(np.quantile(answerable, 1 - COST)), 4))


def made(data: Path, _: Path) -> dict[Path, str]:
    judge = fit([one for language in LANGUAGES for one in gathered(data, language)])
    return {FOREIGN: json.dumps(asdict(judge), indent=2, default=dict) + "\n"}


def report(data: Path, _: Path) -> Iterator[str]:
    examples = {language: [*gathered(data, language)] for language in LANGUAGES}
    for language, of in examples.items():
        judge = fit([one for other, its in examples.items() if other != language for one in its])
        caught, cost = (
            float(np.mean([judge.margin(one.signals) >= 0 for one in of if (one.label == UNANSWERABLE) == wanted]))
            for wanted in (True, False)
        )
        yield f"{language}: {len(of)} questions, {caught:.3f} refused rightly, {cost:.3f} wrongly"


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()
