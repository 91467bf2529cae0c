"""Rankings of documents for a data set's questions: how good they are, and how long searching and encoding take.

The measures are those of ir_measures, and `all@k` beside them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from clew.agent.evaluation.dataset import Question
from clew.memory.datatypes import Passage, Query, Recalled, Sentence, Wording
from clew.memory.dialogue.recall import RecallParameters, recall
from clew.memory.dialogue.rewriting import RewriteParameters, rewrite
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, required
from clew.memory.ports import Encoder
from clew.tools.base import encode_query

FormName = Literal["last-turn", "last-two", "user-turns", "last-answer", "mmr", "rewrite"]
FORMS: tuple[FormName, ...] = get_args(FormName)
CONTEXT_WORDS = 60
"""Words of a selected sentence that the form `mmr` takes: a question comes at the end of a pasted text."""


def query_of(
    question: Question,
    form: FormName,
    encoder: Encoder,
    chosen: RecallParameters | None = None,
    rewriting: RewriteParameters | None = None,
) -> Query:
    """The question as a tool takes it, with its vectors; its scope is the question's context where it has one."""
    if form not in ("mmr", "rewrite"):
        whole = [Wording(form, simple_text(question, form), 1.0)]
        return encode_query(question.text, whole, encoder, question.context)
    recalled = remembered(question.text, extract(question.history), encoder, chosen)
    if form == "mmr":
        texts = [" ".join(sentence.text.split()[-CONTEXT_WORDS:]) for sentence in recalled.selected]
        worded: Sequence[Wording] = [Wording("context", " ".join([question.text, *texts]), 1.0)]
    else:
        worded = rewrite(question.text, recalled, encoder, rewriting or RewriteParameters()).wordings
    return encode_query(question.text, worded, encoder, question.context, recalled.selected)


def simple_text(question: Question, form: FormName) -> str:
    """The text of a form that selects nothing: earlier utterances in their order, then the question."""
    earlier = [said.text for said in question.history if said.speaker == "user"]
    answers = [said.text for said in question.history if said.speaker == "agent"]
    before = {"last-two": earlier[-1:], "user-turns": earlier, "last-answer": answers[-1:]}.get(form, [])
    return " ".join([*before, question.text])


def remembered(
    question: str, sentences: Sequence[Sentence], encoder: Encoder, chosen: RecallParameters | None = None
) -> Recalled:
    """Seed 003's clusters and selected context, as the state machine's `recall` finds them."""
    vectors = encoder.encode([sentence.text for sentence in sentences], "sentence")
    return recall(encoder.encode([question], "sentence")[0], sentences, vectors, chosen or RecallParameters())


DEPTH = 10
"""Ranks that the measures look at."""

Ranking = Sequence[tuple[str, float]]
"""Documents, best first, each once, with the scores of their passages."""


def measure(golds: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Ranking]) -> dict[str, float]:
    """Means over the questions of `golds`; one without a ranking counts as 0."""
    ir = required("ir_measures", "measuring a ranking", "evaluation")
    run = {
        question: {document: float(DEPTH - rank) for rank, (document, _) in enumerate(ranking[:DEPTH])}
        for question, ranking in rankings.items()
    }
    measures = {f"recall@{k}": ir.R @ k for k in (1, 2, 5, 10)}
    measures |= {f"ndcg@{k}": ir.nDCG @ k for k in (5, 10)} | {"mrr@10": ir.RR @ 10}
    means = ir.calc_aggregate(list(measures.values()), golds, run)
    alls = {f"all@{k}": share_with_all(golds, rankings, k) for k in (4, 5, 8)}
    return {name: float(means[by]) for name, by in measures.items()} | alls


def share_with_all(golds: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Ranking], k: int) -> float:
    """The share of the questions whose relevant documents are all among the first k."""
    found = [gold.keys() <= {document for document, _ in rankings.get(key, ())[:k]} for key, gold in golds.items()]
    return sum(found) / len(found)


def trec_run(rankings: Mapping[str, Ranking], k: int, tag: str) -> str:
    """`qid Q0 docid rank score tag`, a line each for the first k of each question. Ids stand as they are; the score is
    one by the rank: tools give equal ones, whose order evaluators would change.

    Raises `BadInput` for an id with a line break in it, which the format cannot hold.
    """
    lines = [
        f"{question} Q0 {document} {rank} {1 / rank:.6f} {tag}"
        for question, ranking in rankings.items()
        for rank, (document, _) in enumerate(ranking[:k], 1)
    ]
    if broken := next((line for line in lines if "\n" in line or "\r" in line), None):
        raise BadInput(f"an id with a line break cannot stand in a TREC run: {broken!r}")
    return "".join(f"{line}\n" for line in lines)


TIMED = 100
"""Questions whose encoding is timed."""


def distinct(search: Callable[[int], Sequence[Passage]], k: int, first: int) -> list[tuple[str, float]]:
    """The first k documents of what is found, each with the score of its first passage; a document can have several.

    Asks for `first` passages, then for more until there are k documents or no more passages. What a wider search
    finds comes behind what was found before.
    """
    documents: dict[str, float] = {}
    wanted = first
    while True:
        passages = search(wanted)
        for passage in passages:
            documents.setdefault(passage.document, passage.score)
        if len(documents) >= k or len(passages) < wanted:
            return list(documents.items())[:k]
        wanted *= 4


def encoding_seconds(queries: Sequence[Query], encoder: CachedEncoder) -> list[float]:
    """Seconds that the encoder, without its cache, takes for the forms of each question."""
    bare = encoder.uncached
    bare.encode([queries[0].text], "query")  # the model is loaded with its first text
    seconds = []
    for query in queries[:TIMED]:
        started = time.perf_counter()
        bare.encode([form.text for form in query.forms], "query")
        seconds.append(time.perf_counter() - started)
    return seconds


def percentiles(seconds: Sequence[float], *shares: int) -> dict[str, float]:
    """`{"p50": milliseconds, ...}`"""
    return {f"p{share}": round(float(np.percentile(seconds, share)) * 1000, 3) for share in shares}
