"""The forms in which a data set's question is searched: alone, with parts of its history, or rewritten."""

from collections.abc import Sequence
from typing import Literal, get_args

from clew.agent.evaluation.dataset import Question
from clew.memory.datatypes import Query, Recalled, Sentence, Wording
from clew.memory.dialogue.recall import RecallParameters, recall
from clew.memory.dialogue.rewriting import RewriteParameters, rewrite
from clew.memory.dialogue.utterances import extract
from clew.memory.ports import Encoder
from clew.tools.base import encode_query

FormName = Literal["last-turn", "last-two", "user-turns", "last-answer", "mmr", "rewrite"]
FORMS: tuple[FormName, ...] = get_args(FormName)
REMEMBERING = ("mmr", "rewrite")
"""Forms that select from the sentences of the history."""

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
    if form not in REMEMBERING:
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
    """The form of one text that needs no choice: what was said, in its order, and the question last."""
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
