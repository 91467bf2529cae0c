import pytest

from clew.agent.llm.ollama_writer import OllamaServer, Pulled, best, by_fit, named_model
from clew.memory.errors import ServiceUnreachable
from tests.ollama.playing import good
from tests.ollama.server import Model, serving

GB = 10**9


@pytest.mark.parametrize(
    ("there", "order"),
    [
        ({"small": 2, "fits": 5, "too large": 40}, ["fits", "small", "too large"]),
        ({"small": 30, "large": 40}, ["small", "large"]),  # where none fits
        ({}, []),
    ],
)
def test_the_largest_that_fits_comes_first(there: dict[str, int], order: list[str]) -> None:
    found = by_fit([Pulled(name, size * GB) for name, size in there.items()], 16 * GB)
    assert [model.name for model in found] == order


def test_a_name_without_a_tag_is_the_latest() -> None:
    with serving({"good:latest": Model(good)}) as double:
        assert named_model(OllamaServer(double.host), "good").name == "good:latest"


def test_auto_is_none_where_nothing_listens_or_nothing_is_pulled() -> None:
    with serving({}) as double:
        server = OllamaServer(double.host)
        assert best(server) is None
    assert best(server) is None
    with pytest.raises(ServiceUnreachable, match="does not answer") as caught:
        named_model(server, "good:1b")
    assert caught.value.hint.startswith(("ollama serve", "install it")) and caught.value.exit_code == 4


def test_auto_never_sends_documents_elsewhere() -> None:
    models = {"large:120b-cloud": Model(good, size=384), "plain:1b": Model(good, capabilities=("completion",))}
    with serving(models) as double:
        writer = best(OllamaServer(double.host))
        assert writer and writer.name == "plain:1b"
        del double.models["plain:1b"]
        assert best(OllamaServer(double.host)) is None
