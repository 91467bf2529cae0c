"""What is offered to be asked is answered, from what it was made of."""

from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.answer.corpus_answers import made_of
from clew.agent.assistant import Assistant
from clew.agent.talk.offers import _headed, next_questions, shown_off
from clew.memory.datatypes import Document, Mark
from clew.memory.encoding import CachedEncoder
from tests.agent.conftest import over, turn_of

FAQ = """# Guests

**What is the wifi password?**
The network is called Reed and the password is heron.

**Where can guests park a car?**
On the street, with a permit. The permits are in the drawer.

**May I bring my dog?**
Yes, dogs are welcome, but keep them off the beds.
"""


def test_only_what_has_text_below_is_a_part() -> None:
    text = "1. Rent\n2. Term\nThe term is two years and it ends in 2027.\nNotes “x”\nThey are eight words or more."
    marks = tuple(Mark(text.index(one), one) for one in ("1. Rent", "2. Term", "Notes “x”"))
    (part,) = _headed(Document("a", "Lease", text, headings=marks), "en")
    assert part.question == "What does “Lease” say about “Term”?" and text[part.start : part.end].endswith("2027.\n")
    assert made_of("What does “Lease” say about “Term”?") == (("Lease",), "Term", "en")
    assert made_of("Was sagen “A” und “B” zu “Term”?") == (("A", "B"), "Term", "de")
    assert made_of("Who wrote “Lease”?") == ((), "", "") and made_of("And about “Term”?") == ((), "Term", "en")
    heads = "Costs\nName | Type | Size | Weight\n"
    assert not [*_headed(Document("a", "Lease", heads, headings=(Mark(0, "Costs"),)), "en")]


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Metropolis?",
        "What are these documents about?",
        "Tell me about Laika",
        "Why were fruit flies sent?",
    ],
)
def test_what_is_offered_behind_an_answer_is_answered_from_what_it_names(question: str, assistant: Assistant) -> None:
    store, turn = assistant.services.library.store, turn_of(assistant, "t", question)
    offered = next_questions([turn], store)
    assert 1 <= len(offered) <= 3 and question not in offered
    assert offered[0] not in next_questions([replace(turn, question=offered[0]), turn], store)
    titles = {one.id: one.title for one in store.catalogue.documents}
    for one in offered:
        answer, (named, heading, _) = turn_of(assistant, "t", one, parent=turn.id).answer, made_of(one)
        last = {titles[source.document] for source in turn.answer.sources}
        titled = {titles[source.document] for source in answer.sources}
        assert answer.outcome == "summary" and (titled == {*named} if named else titled <= last)
        assert not heading or {source.heading for source in answer.sources} == {heading}


def test_behind_a_refusal_the_nearest_documents_are_offered(assistant: Assistant) -> None:
    refused = turn_of(assistant, "t", "How many moons has Neptune?")
    offered = next_questions([refused], assistant.services.library.store)
    assert refused.answer.refused and [made_of(one).titles for one in offered] == [
        (title,) for title in refused.answer.nearest
    ]


def test_an_empty_page_shows_a_question_that_leans_and_one_over_two_documents(assistant: Assistant) -> None:
    groups = shown_off(assistant.services.library)
    leaning = next(group for group in groups if len(group) == 2)
    for group in groups:
        turns = [turn_of(assistant, group[0], question) for question in group]
        assert all(turn.answer.sources and not turn.answer.refused for turn in turns), group
        if group == leaning:
            assert turns[0].answer.sources[0].document == turns[1].answer.sources[0].document
    (over_two,) = (group for group in groups if len(made_of(group[0])[0]) == 2)
    assert len({s.document for s in turn_of(assistant, "t", over_two[0]).answer.sources}) == 2


def test_questions_that_stand_in_a_document_come_first(cache: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    with over({"guests.md": FAQ}, tmp_path, cache, encoder) as assistant:
        own = assistant.services.library
        assert ("What is the wifi password?",) in shown_off(own)
        offered = next_questions([turn_of(assistant, "t", "What is the wifi password?")], own.store)
        assert offered == ["Where can guests park a car?", "May I bring my dog?", "What is “Guests” about?"]
        assert "drawer" in turn_of(assistant, "t", offered[0]).answer.text
        assert len(next_questions([turn_of(assistant, "t", offered[2])], own.store)) > 1


def test_two_documents_without_a_heading_in_common_are_asked_of_a_name(
    cache: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    files = {
        "van.md": "# The van\n\n## Keys\n\nThe keys of the van are kept by Bettina Okafor in the kitchen drawer.",
        "club.md": "# The club\n\n## Fees\n\nThe fees are paid to Bettina Okafor before the first day of March.",
        "cones.py": "def temperature(cone: int) -> int:\n    '''The temperature at which a cone bends.'''\n",
    }
    with over(files, tmp_path, cache, encoder) as assistant:
        (question,) = (one for (one, *_) in shown_off(assistant.services.library) if made_of(one).titles[1:])
        assert made_of(question)[:2] == (("The club", "The van"), "Bettina Okafor")
        text = turn_of(assistant, "t", question).answer.text
        assert "drawer" in text and "March" in text
        code = turn_of(assistant, "t", "At what temperature does a cone bend?")
        assert not any("def " in one for one in next_questions([code], assistant.services.library.store))
