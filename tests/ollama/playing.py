"""The models that the double plays. `good` reads its prompt as a model would: it rewrites, plans no more searches, and
quotes a sentence of the passages with its number; each of the others fails in a way of its own."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.ollama.server import Asked, Died, Failure, Model, Said

_PASSAGE = re.compile(r'<passage id="(\d+)"[^>]*>\n(.*?)\n</passage>', re.DOTALL)
_QUESTION = re.compile(r"^(?:The question|Question): (.+)$", re.MULTILINE)
_SMALL = frozenset(
    "the a an of in on at is was are were what who which when where how did does do and or to it".split()
)


def good(asked: Asked) -> Said:
    if asked.format is not None:
        yield from words(json.dumps(_instance(asked.format)))
    elif "Rewrite the last question" in asked.text:
        yield from words(_standing(asked))
    elif "<passage" in asked.text:
        yield from words(best_sentence(asked))
    else:
        yield from words(_summary(asked))


def plans(asked: Asked) -> bool:
    return asked.format is not None and "calls" in asked.format["properties"]


def never_plans(asked: Asked) -> Said:
    """A small model that talks where it should write JSON."""
    return words("I would look that up in the documents.") if plans(asked) else good(asked)


def plans_wrongly(asked: Asked) -> Said:
    """A tool that there is not."""
    calls = {"calls": [{"tool": "browse_web", "query": "nowhere"}]}
    return words(json.dumps(calls)) if plans(asked) else good(asked)


def broken_json(asked: Asked) -> Said:
    if asked.format is not None:
        return words('Sure! {"entities": [{"name": "Moon", ')
    if "Rewrite the last question" in asked.text:
        return words('{"question": "')
    return good(asked)


def thinks(asked: Asked) -> Said:
    """Aloud, in a field of its own and between marks, whatever it was asked for."""
    yield {"thinking": "The person wants to know something. "}
    if asked.format is None:
        yield from words("<think>Which passage? Perhaps [7]. Let me see.</think>\n\n")
    yield from good(asked)


def miscites(asked: Asked) -> Said:
    if "<passage" in asked.text:
        said = re.sub(r" \[\d+\]", "", best_sentence(asked)).rstrip(".")
        return words(f"{said} [99]. The emperor Nero paid 7,777 ducats for it [1].")
    return good(asked)


def refuses(asked: Asked) -> Said:
    return good(asked) if "<passage" not in asked.text else words("NOT FOUND")


def asks_back(asked: Asked) -> Said:
    return good(asked) if "<passage" not in asked.text else words("UNCLEAR: Which of the two do you mean?")


def slow(asked: Asked) -> Said:
    """Twenty words a second."""
    for piece in good(asked):
        yield 0.05
        yield piece


def dies(asked: Asked) -> Said:
    """In the middle of an answer; before it, it works."""
    if "<passage" not in asked.text:
        yield from good(asked)
        return
    pieces = list(good(asked))
    yield from pieces[: len(pieces) // 2]
    raise Died


def dies_at_once(asked: Asked) -> Said:
    if "<passage" not in asked.text:
        yield from good(asked)
        return
    raise Died


def crashes(asked: Asked) -> Said:
    raise Failure(500, "llama runner process has terminated: exit status 2")
    yield ""


def lacks_memory(asked: Asked) -> Said:
    raise Failure(500, "model requires more system memory (5.6 GiB) than is available (4.1 GiB)")
    yield ""


def writes_without_end(asked: Asked) -> Said:
    """Until `num_predict`, or until somebody hangs up."""
    while True:
        yield "and "
        yield 0.02


MODELS = {
    "good:1b": Model(good),
    "plain:1b": Model(good, capabilities=("completion",)),
    "never-plans:1b": Model(never_plans),
    "plans-wrongly:1b": Model(plans_wrongly),
    "broken-json:1b": Model(broken_json),
    "thinks:1b": Model(thinks, capabilities=("completion", "thinking")),
    "miscites:1b": Model(miscites),
    "refuses:1b": Model(refuses),
    "asks-back:1b": Model(asks_back),
    "cuts:1b": Model(good, real_window=1024),
    "slow:1b": Model(slow),
    "dies:1b": Model(dies),
    "dies-at-once:1b": Model(dies_at_once),
    "crashes:1b": Model(crashes),
    "lacks-memory:1b": Model(lacks_memory),
    "endless:1b": Model(writes_without_end),
    "encoder:1b": Model(good, capabilities=("embedding",)),
}


def words(text: str) -> Iterator[str]:
    return iter(re.findall(r"\s*\S+|\s+", text))


def best_sentence(asked: Asked) -> str:
    """The sentence of the passages that shares most words with the question, with its passage's number."""
    wanted = _words(_question(asked))
    sentences = [
        (len(wanted & _words(sentence)), -int(number), sentence.strip(), number)
        for number, text in _PASSAGE.findall(asked.text)
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text)
        if sentence.rstrip().endswith(".")  # no heading, no question
    ]
    if not sentences or not max(sentences)[0]:
        return "NOT FOUND"
    _, _, sentence, number = max(sentences)
    return f"{sentence.rstrip('.!?')} [{number}]."


def _question(asked: Asked) -> str:
    found = _QUESTION.findall(asked.text)
    return str(found[-1]) if found else asked.text.splitlines()[-1]


def _standing(asked: Asked) -> str:
    """The question, with the last name of the conversation that it does not have."""
    question = _question(asked)
    names = re.findall(r"(?<=[a-z,] )[A-Z]\w+", asked.text.partition("<said>")[2].partition("The question:")[0])
    about = next((name for name in reversed(names) if name not in question), "")
    return f"{question.rstrip('?')}, regarding {about}?" if about else question


def _summary(asked: Asked) -> str:
    """Of a community: its first two sentences."""
    said = asked.text.partition("What the documents say:")[2].partition("</document>")[0]
    return " ".join(said.split()[:40]).rstrip(".") + "."


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - _SMALL


def _instance(schema: Any) -> Any:
    """Something small that fits a schema."""
    if not isinstance(schema, dict):
        return {}
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {name: _instance(part) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "string": "Paris", "boolean": True, "integer": 1, "number": 1.0}.get(str(kind))
