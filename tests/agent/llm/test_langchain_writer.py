"""What fails at another provider's, as Clew says it."""

import pytest

from clew.agent.llm.langchain_writer import load_chat_model
from clew.memory.errors import BadInput, ModelFailed, PromptCut
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
