"""Relations between the mentions of a sentence by rules, without a parser (seed 001, section 2: subject, verb, object).

Each sentence is read once from left to right. Known are the subject, the last verb, and what stood since: that says
what the next mention is to the subject. Rules of English, and of the plain kind: a clause they cannot read gives none.
"""

from collections.abc import Sequence

from clew.memory.knowledge.extracting.clause import Clause
from clew.memory.knowledge.extracting.datatypes import Mention, Relation
from clew.memory.knowledge.extracting.elements import elements
from clew.memory.sentences import split


def triples(text: str, mentions: Sequence[Mention]) -> list[Relation]:
    """In the order of the text, none twice from one sentence; `mentions` as `entities(text)` gives them, in order.

    `Y was directed by X` has the subject X and the relation `directed`. A `he` or `it` that begins a sentence stands
    for what its paragraph is about: the first subject in it.
    """
    found: list[Relation] = []
    place, topic, last_end = 0, None, 0
    for start, end in split(text):
        inside: list[Mention] = []
        while place < len(mentions) and mentions[place].start < end:
            if start <= mentions[place].start and mentions[place].end <= end:
                inside.append(mentions[place])
            place += 1
        if text.count("\n", last_end, start) > 1:
            topic = None
        clause = Clause(topic)
        clause.read(elements(text, (start, end), inside) if inside else [])
        found.extend(Relation(*triple, start, end) for triple in clause.found)
        topic, last_end = clause.topic, end
    return found
