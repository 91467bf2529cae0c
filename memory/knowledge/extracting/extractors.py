"""The extractors, by name: each turns a text with its title into mentions and relations."""

from collections.abc import Callable, Sequence

from memory.errors import BadInput
from memory.knowledge.extracting.datatypes import Mention, Relation
from memory.knowledge.extracting.entities import entities
from memory.knowledge.extracting.relations import triples

Extractor = Callable[[str, str], tuple[Sequence[Mention], Sequence[Relation]]]
"""Text and title of a document -> its mentions in order, and its relations."""

RULES = "rules"
SPACY = "spacy"


def by_rules(text: str, title: str) -> tuple[Sequence[Mention], Sequence[Relation]]:
    mentions = entities(text, title)
    return mentions, triples(text, mentions)


def extractor_named(name: str) -> Extractor:
    """`rules`, `spacy` (its `en_core_web_sm`) or `spacy:PIPELINE`, a name or path.

    Raises `BadInput` for another name, `NotSetUp` where the pipeline is not installed.
    """
    if name == RULES:
        return by_rules
    kind, _, pipeline_name = name.partition(":")
    if kind != SPACY:
        raise BadInput(f"there is no extractor '{name}'", f"--extractor {RULES}, {SPACY} or {SPACY}:PIPELINE")
    from memory.knowledge.extracting.spacy_pipeline import extract, load_pipeline

    pipeline = load_pipeline(pipeline_name) if pipeline_name else load_pipeline()
    return lambda text, title: extract(pipeline, text, title)
