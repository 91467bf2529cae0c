"""The extractors, by name: each turns a text with its title into mentions and relations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.extracting.datatypes import Mention, Relation
from clew.memory.knowledge.extracting.entities import entities
from clew.memory.knowledge.extracting.llm import Model, ModelExtractor
from clew.memory.knowledge.extracting.relations import triples

Extractor = Callable[[str, str], tuple[Sequence[Mention], Sequence[Relation]]]
"""Text and title of a document -> its mentions in order, and its relations."""

RULES = "rules"
SPACY = "spacy"
LLM = "llm"


@dataclass(frozen=True, slots=True)
class Chosen:
    """An extractor under the name that a library records: with that of its model, where it has one. After use `notes`
    says what did not go as it should, and `close` ends it."""

    name: str
    extract: Extractor
    notes: Callable[[], Sequence[str]] = tuple
    close: Callable[[], None] = lambda: None


def by_rules(text: str, title: str) -> tuple[Sequence[Mention], Sequence[Relation]]:
    mentions = entities(text, title)
    return mentions, triples(text, mentions)


def extractor_named(name: str, model: Model | None = None) -> Chosen:
    """`rules`, `spacy` (its `en_core_web_sm`), `spacy:PIPELINE`, a name or path, or `llm`: the `model`.

    Raises `BadInput` for another name, `NotSetUp` where the pipeline is not installed, no model is configured or it is
    another one than in `llm:MODEL`, as a library records it.
    """
    kind, _, which = name.partition(":")
    if name == RULES:
        return Chosen(name, by_rules)
    if kind == LLM:
        return _by_model(which, model)
    if kind != SPACY:
        raise BadInput(f"there is no extractor '{name}'", f"--extractor {RULES}, {SPACY}, {SPACY}:PIPELINE or {LLM}")
    from clew.memory.knowledge.extracting.spacy_pipeline import extract, load_pipeline

    pipeline = load_pipeline(which) if which else load_pipeline()
    return Chosen(name, lambda text, title: extract(pipeline, text, title))


def _by_model(wanted: str, model: Model | None) -> Chosen:
    if model is None:
        what = f"the language model {wanted}" if wanted else "a language model"
        raise NotSetUp(
            f"--extractor {LLM} wants {what}, and none is set up", f"name it with --llm, or --extractor {RULES}"
        )
    name = model.writer.name
    if wanted not in ("", name):
        raise NotSetUp(
            f"the extractor is the language model {wanted}, and the one that is set up is {name}",
            f"--extractor {LLM} to extract all anew by {name}",
        )
    extractor = ModelExtractor(model)
    return Chosen(f"{LLM}:{name}", extractor, lambda: extractor.notes, extractor.close)
