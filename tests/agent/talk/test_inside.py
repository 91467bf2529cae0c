"""Questions with another inside, in whole turns: the way is told, each part with its source."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from clew.agent import nodes
from clew.agent.assistant import Assistant
from clew.agent.search import lookups
from clew.agent.services import TurnContext
from clew.agent.settings import read_settings
from clew.agent.state import Call, Step, Turn
from clew.memory.datatypes import Findings
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.errors import DeadlineExceeded
from clew.memory.knowledge.index.run import index

Ask = Callable[..., Turn]

DOCUMENTS = {
    "lease.md": "# Lease of the flat in Gartenweg 4\n\nLandlord: Jonas Brandt. The rent is 870 euros a month, due on "
    "the third.\nRepairs below 100 euros are paid by the tenant.\n",
    "contacts.md": "# Contacts\n\n- Jonas Brandt: 0431 555 123, best before nine\n- Holm & Sons: 0431 998 100, office "
    "in Hafenstrasse 7\n- Mira Voss: 0176 220 118, her birthday is on 4 June\n- Dr. Pell: 0431 200 4\n",
    "boiler.md": "# Boiler\n\n3 March 2024: it went cold again. Holm & Sons repaired the boiler, 214 euros.\n",
    "firms.md": "# Firms we use\n\nHolm & Sons give a guarantee of two years on every repair. Their van comes from "
    "Plön.\nKessler Dach did the roof in 2021; their guarantee is ten years.\n",
    "family.md": "# Family\n\nAnna is married to Felix Voss; they live in Lübeck. Anna's daughter is Mira Voss, who "
    'studies in Graz.\nOur cousin Peter wrote the book "Low Tide", printed in Husum in 1998.\n',
    "books.md": '# Books on the shelf\n\n"Low Tide" is about the ferry to Amrum. Its publisher is the Deich Verlag.\n'
    "The Deich Verlag was founded in 1971 by Marga Thiessen.\n",
}


@pytest.fixture(scope="module")
def library(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inside")
    (folder / "documents").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "documents" / name).write_text(text, "utf-8")
    list(index([folder / "documents"], folder / "library", load_encoder(MINILM, cache)))
    return folder / "library"


@pytest.fixture
def ask(library: Path, cache: Path, tmp_path: Path) -> Iterator[Ask]:
    """On one thread."""
    with Assistant.open(read_settings(library=library, home=tmp_path / "data", cache=cache)) as assistant:

        def asked(question: str, cancel_at: str = "") -> Turn:
            cancel = Event()
            for event in assistant.ask("t", question, cancel=cancel):
                if isinstance(event, Step) and event.node == cancel_at:
                    cancel.set()
            assert isinstance(event, Turn)
            return event

        yield asked


@pytest.mark.parametrize(
    "question, way, holds",
    [
        ("What is the phone number of the landlord of the flat?", "Jonas Brandt", "0431 555 123"),
        ("When is the birthday of Anna's daughter?", "Mira Voss", "4 June"),
        ("When was the publisher of Low Tide founded?", "Deich Verlag", "1971"),
    ],
)
def test_the_way_is_told(ask: Ask, question: str, way: str, holds: str) -> None:
    turn = ask(question)
    assert turn.answer.outcome == "answered"
    first, *_, last = [claim for claim in turn.answer.claims if claim.cites]
    assert way in first.text and holds in last.text
    assert f"by way of {way}" in [step.summary for step in turn.steps if step.node == "unfold"]
    for claim in (first, last):
        assert claim.verdict == "supported"
        assert claim.quotes[0].text in turn.answer.sources[claim.cites[0] - 1].text
    assert turn.rewritten == question


def test_a_follow_up_is_unfolded_as_it_stands_alone(ask: Ask) -> None:
    ask("Where does Anna live?")
    turn = ask("And when is the birthday of her daughter?")
    assert "4 June" in turn.answer.text


def test_several_questions_are_each_unfolded(ask: Ask) -> None:
    turn = ask("How much is the rent? And when is the birthday of Anna's daughter?")
    assert "870 euros" in turn.answer.text and "4 June" in turn.answer.text


def test_what_is_answered_at_once_is_not_unfolded(ask: Ask) -> None:
    turn = ask("Where does Anna's daughter study?")
    assert "Graz" in turn.answer.text
    assert not [step for step in turn.steps if step.node == "unfold"]


def test_where_nothing_more_is_told_the_way_is(ask: Ask) -> None:
    turn = ask("What is the shoe size of Anna's daughter?")
    assert turn.answer.refused
    assert [claim.text.split()[:4] for claim in turn.answer.claims][:2] == [
        ["Anna's", "daughter", "is", "Mira"],
        ["The", "documents", "that", "I"],
    ]
    assert turn.answer.claims[0].verdict == "supported"


def test_a_stop_while_more_is_asked_keeps_what_was_answered(ask: Ask) -> None:
    before = ask("Where does Anna live?")
    turn = ask("When is the birthday of Anna's daughter?", cancel_at="unfold")
    assert turn.is_answered and turn.turn == before.turn + 1
    assert [step.node for step in turn.steps][-2:] == ["unfold", "verify"]


@pytest.mark.parametrize("which", ["the first", "the last"])
def test_a_cluster_that_does_not_answer_keeps_what_was_answered(
    ask: Ask, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = lookups.found_or_left

    def late(turn: Turn, run: TurnContext, call: Call) -> Findings:
        inside = turn.search.inside
        if inside and inside.last == (which == "the last"):
            raise DeadlineExceeded("the cluster takes too long", "clew doctor")
        return found(turn, run, call)

    question = "What is the phone number of the landlord of the flat?"
    monkeypatch.setattr(nodes, "found_or_left", late)
    turn = ask(question)
    assert turn.is_answered and turn.rewritten == question
    assert [one.why for one in turn.degraded] == ["the cluster takes too long"]
    monkeypatch.setattr(nodes, "found_or_left", found)
    assert "0431 555 123" in ask(question).answer.text
