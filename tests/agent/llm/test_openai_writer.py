"""What fails at an OpenAI-compatible server, as Clew says it."""

import pytest

from clew.agent.llm.openai_writer import OpenAIWriter
from clew.agent.models import writers_for
from clew.agent.settings import Settings
from clew.memory.errors import BadInput, ModelFailed, PromptCut, ServiceUnreachable
from clew.memory.ports import Message, WriteOptions, text_of
from tests.ollama.compatible import compatible
from tests.ollama.server import Asked, Failure, Said


@pytest.mark.parametrize(
    ("status", "said", "error"),
    [(500, "out of order", ModelFailed), (400, "the maximum context length is 10 tokens", PromptCut)],
)
def test_an_error_is_told_in_the_servers_words(
    status: int, said: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(asked: Asked) -> Said:
        raise Failure(status, said)
        yield ""

    with compatible(fails) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        with pytest.raises(error, match=rf"^openai:any(?: failed)?: {said}"):
            list(OpenAIWriter("any").write([Message("user", "Hello")]))


def test_a_schema_that_is_refused_is_not_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by servers that have no grammar for it; what they write is read as JSON all the same."""
    formats: list[object] = []

    def without_schemas(asked: Asked) -> Said:
        formats.append(asked.format)
        if asked.format:
            raise Failure(400, "response_format is not supported")
        yield '{"calls": []}'

    with compatible(without_schemas) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        writer, options = OpenAIWriter("any"), WriteOptions({"type": "object"})
        said = [text_of(writer.write([Message("user", "Hello")], options)) for _ in range(2)]
    assert said == ['{"calls": []}'] * 2
    assert formats == [{"type": "object"}, None, None]


def test_a_provider_that_there_is_not_or_that_lacks_its_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name, said in (("nobody:any", "is not the name of a language model"), ("openai:any", "need a key")):
        with pytest.raises(BadInput, match=said):
            writers_for(Settings(llm=name))


def test_a_server_that_is_not_there_is_said_before_the_first_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ServiceUnreachable, match="does not answer") as caught:
        OpenAIWriter("any")
    assert caught.value.exit_code == 4


def test_a_key_that_is_not_taken_is_said_before_the_first_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    with compatible(lambda _: iter(())) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", "wrong")
        with pytest.raises(ModelFailed, match="does not take the key"):
            OpenAIWriter("any")
