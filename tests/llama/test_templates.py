"""What Clew sends is taken by the chat templates of models, as llama.cpp carries them: one that does not like its
messages raises, and the turn ends without the model."""

from datetime import UTC, datetime
from typing import Any

import pytest
from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.llama.server import HOW, model, templates

FAMILIES = (
    "Llama-3.1-8B Llama-3.2-3B Mistral-Nemo Mistral-Small Qwen2.5-7B Qwen3-0.6B gemma-2-2b "
    "gemma-4 Phi-3.5 granite-3.3 Hermes-3 gpt-oss SmolLM2 SmolLM3"
).split()
ONCE = [{"role": "user", "content": "How far away is the Moon?"}]
AGAIN = [*ONCE, {"role": "assistant", "content": "Far."}, {"role": "user", "content": "That is too short."}]


def refused(reason: str) -> None:
    raise TemplateError(reason)


def texts(family: str) -> list[str]:
    """The templates of a family; SmolLM2's stands in the model's own file: after its name a 4-byte type, an 8-byte
    length and the text."""
    if family != "SmolLM2":
        return [path.read_text("utf-8") for path in sorted(templates().glob(f"*{family}*.jinja"))]
    if (gguf := model()) is None:
        pytest.skip(HOW)
    _, _, rest = gguf.read_bytes().partition(b"tokenizer.chat_template")
    return [rest[12 : 12 + int.from_bytes(rest[4:12], "little")].decode()]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_template_takes_what_is_sent(family: str) -> None:
    if not templates().is_dir():
        pytest.skip(HOW)
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    now: Any = lambda form: datetime.now(UTC).strftime(form)  # noqa: E731 as transformers gives it to templates
    environment.globals.update(raise_exception=refused, strftime_now=now)
    found = texts(family)
    assert found, family
    for template in found:
        made = environment.from_string(template)
        for messages in (ONCE, AGAIN):
            text = made.render(messages=messages, add_generation_prompt=True, bos_token="<s>", eos_token="</s>")
            assert all(message["content"] in text for message in messages), family
