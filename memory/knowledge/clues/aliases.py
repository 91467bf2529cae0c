"""The relations that a text names, by a table of aliases (seed 000, step 1).

`relation_aliases.json` has for each relation the types of question that its edges answer, and its aliases. These are
compared by their stems, so that a table needs only the inflections that are not regular.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from clew.memory.errors import BadInput
from clew.memory.words import stemmed_words

QuestionType = Literal["who", "what", "why", "where", "when"]

SHIPPED = Path(__file__).with_name("relation_aliases.json")


@dataclass(frozen=True, slots=True)
class Mention:
    """A relation that a text names, with the stems by which it does, and the place of the first among the text's."""

    relation: str
    words: tuple[str, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class AliasTable:
    """`phrases`: the stems of an alias -> its relation; `answers`: relation -> the types of question it answers."""

    phrases: Mapping[tuple[str, ...], str]
    answers: Mapping[str, frozenset[QuestionType]]
    longest: int

    def mentions(self, text: str) -> list[Mention]:
        """In the order of the text; where aliases overlap the one that begins first has it, and then the longest."""
        return list(self._mentions(stemmed_words(text)))

    def _mentions(self, words: Sequence[str]) -> Iterator[Mention]:
        place = 0
        while place < len(words):
            lengths = range(min(self.longest, len(words) - place), 0, -1)
            phrase = next((p for n in lengths if (p := tuple(words[place : place + n])) in self.phrases), ())
            if phrase:
                yield Mention(self.phrases[phrase], phrase, place)
            place += len(phrase) or 1


def load_aliases(more: Path | None = None) -> AliasTable:
    """The table that comes with Clew, and after it `more`, a file like it: new relations, and further aliases and
    types of known ones; an alias that another relation had is moved. Raises `BadInput` for any other file."""
    phrases: dict[tuple[str, ...], str] = {}
    answers: dict[str, frozenset[QuestionType]] = {}
    for path in (SHIPPED, more) if more else (SHIPPED,):
        for relation, types, aliases in _rows(path):
            answers[relation] = answers.get(relation, frozenset()) | types
            phrases.update(
                {words: relation for alias in (relation, *aliases) if (words := tuple(stemmed_words(alias)))}
            )
    return AliasTable(phrases, answers, max(map(len, phrases)))


def _rows(path: Path) -> Iterator[tuple[str, frozenset[QuestionType], list[str]]]:
    try:
        table = json.loads(path.read_text("utf-8"))
        for relation, row in table.items():
            types = [_type(name) for name in row.get("answers", [])]
            yield relation.strip().lower(), frozenset(types), [str(alias) for alias in row["aliases"]]
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} is not a table of relation aliases ({error})",
            'write {"directed": {"answers": ["who"], "aliases": ["directed by", "director"]}}',
        ) from error


def _type(name: str) -> QuestionType:
    for known in get_args(QuestionType):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise ValueError(f"there is no type of question '{name}'")
