"""What is extracted from a text: mentions of entities, and triples between them."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["person", "place", "organisation", "work", "date", "term", "name"]
"""As far as it can be told; `name` where it cannot."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity where it stands: `text` is the source's `[start:end]`, as it is written there."""

    text: str
    start: int
    end: int
    kind: Kind = "name"


@dataclass(frozen=True, slots=True)
class Relation:
    """`subject` `relation` `object`, in this direction, as the sentence at `[start:end]` of the source says.

    `relation` is the verb without its auxiliaries, with the preposition that leads to the object (`born in`), or the
    noun by which one is the other's (`capital of`). The subject may stand in an earlier sentence, for a pronoun.
    """

    subject: Mention
    relation: str
    object: Mention
    start: int
    end: int
