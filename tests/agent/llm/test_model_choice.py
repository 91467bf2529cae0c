from pathlib import Path

import pytest

from clew.agent.llm.ollama_server import Card, Cards, OllamaServer, Pulled
from clew.agent.llm.ollama_writer import best, best_suited, named_model
from clew.memory.errors import ServiceUnreachable
from tests.ollama.playing import good
from tests.ollama.server import Model, serving

GB = 10**9


def pulled(name: str, size: float) -> Pulled:
    return Pulled(name, f"digest of {name}", int(size * GB))


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ({"small": (2, Card()), "fits": (5, Card()), "too large": (40, Card())}, "fits"),
        ({"small": (30, Card()), "large": (40, Card())}, "small"),  # where none fits
        ({"encoder": (1, Card(chats=False))}, None),
        ({}, None),
    ],
)
def test_the_largest_that_fits_is_chosen(there: dict[str, tuple[float, Card]], chosen: str | None) -> None:
    found = best_suited([(pulled(name, size), card) for name, (size, card) in there.items()], 16 * GB)
    assert (found[0].name if found else None) == chosen


def test_a_name_without_a_tag_is_the_latest(tmp_path: Path) -> None:
    with serving({"good:latest": Model(good)}) as double:
        assert named_model(OllamaServer(Cards(tmp_path / "c"), double.host), "good").name == "good:latest"


def test_auto_is_none_where_nothing_listens_or_nothing_is_pulled(tmp_path: Path) -> None:
    with serving({}) as double:
        server = OllamaServer(Cards(tmp_path / "c"), double.host)
        assert best(server) is None
    assert best(server) is None
    with pytest.raises(ServiceUnreachable, match="does not answer") as caught:
        named_model(server, "good:1b")
    assert (caught.value.hint, caught.value.exit_code) == ("ollama serve", 4)


def test_auto_never_sends_documents_elsewhere(tmp_path: Path) -> None:
    models = {"large:120b-cloud": Model(good, size=384), "plain:1b": Model(good, capabilities=("completion",))}
    with serving(models) as double:
        writer = best(OllamaServer(Cards(tmp_path / "c"), double.host))
        assert writer and writer.name == "plain:1b"
        del double.models["plain:1b"]
        assert best(OllamaServer(Cards(tmp_path / "c"), double.host)) is None
