"""What fails at another provider's, as Clew says it."""

import pytest

from clew.agent.llm.langchain_writer import load_chat_model
from clew.memory.errors import BadInput, ModelFailed, PromptCut, ServiceUnreachable
from clew.memory.ports import Message
from tests.ollama.compatible import compatible
from tests.ollama.server import Asked, Failure, Said


@pytest.mark.parametrize(
    ("status", "said", "error"),
    [(500, "out of order", ModelFailed), (400, "the maximum context length is 10 tokens", PromptCut)],
)
def test_an_error_of_the_provider_is_told_in_its_words(
    status: int, said: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(asked: Asked) -> Said:
        raise Failure(status, said)
        yield ""

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with compatible(fails) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        with pytest.raises(error, match=said):
            list(load_chat_model("openai:any").write([Message("user", "Hello")]))


def test_a_provider_that_there_is_not_or_that_lacks_its_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("nobody:any", "openai:any"):
        with pytest.raises(BadInput, match=f"the model {name} cannot be used"):
            load_chat_model(name)


def test_a_server_that_is_not_there_is_said_before_the_first_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ServiceUnreachable, match="does not answer") as caught:
        load_chat_model("openai:any")
    assert caught.value.exit_code == 4
