"""Further wordings of a question: with dates in the place of relative ones and of other ways of writing them."""

from dataclasses import replace

from clew.memory.datatypes import Wording
from clew.memory.dates import DateOrder, found_dates
from clew.memory.dialogue.rewriting import Rewritten
from clew.memory.relative_dates import dated, days_text, relative_dates
from clew.memory.text import written_words

DATED = "dated"


def with_dates(made: Rewritten, today: str, order: DateOrder = "") -> Rewritten:
    """Every wording but the question as it is has its dates written out, and what counts from `today` is dates there;
    the question so written is a wording of its own, and shares its weight. `order` is that of the library."""
    question = next(wording for wording in made.wordings if wording.name == "question")
    text, why = _written(question.text, today, order)
    wordings = tuple(
        wording if wording.name == question.name else replace(wording, text=_written(wording.text, today, order)[0])
        for wording in made.wordings
    )
    if why and text not in (wording.text for wording in wordings):
        half = question.weight / 2
        own = (replace(question, weight=half), Wording(DATED, text, half, why=why))
        wordings = tuple(one for wording in wordings for one in (own if wording.name == question.name else (wording,)))
    return replace(
        made,
        text=_written(made.text, today, order)[0],
        expanded=_written(made.expanded, today, order)[0],
        wordings=wordings,
    )


def _written(text: str, today: str, order: DateOrder) -> tuple[str, str]:
    """The text with dates as `3 September 2024`, and in words what became what. A number that can be two dates
    stays."""
    why = [f"'{text[one.start : one.end]}' is {days_text(one.first, one.last)}" for one in relative_dates(text, today)]
    text = dated(text, today)
    parts, done = [], 0
    for one in found_dates(text, order):
        said = text[one.start : one.end]
        if one.other or set(written_words(said)) == set(written_words(one.text)):
            continue
        parts += [text[done : one.start], one.text]
        done = one.end
        why.append(f"'{said}' is {one.text}")
    return "".join([*parts, text[done:]]), ", ".join(why)
