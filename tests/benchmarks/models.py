"""What a language model makes of conversations: its row of the table in docs/models.md.

    python -m tests.benchmarks.models [--by-kind] [--first N]

Played are 40 turns over examples/documents and, where they lie in ../shared/talk, the 160 of talk over its collections.
Of the 40, the questions of 35 are in ../shared/cases; what all have to hold is in `model_turns.jsonl`, in their order.
The model is that of an Ollama (CLEW_TEST_OLLAMA=MODEL), or of an OpenAI-compatible server
(CLEW_TEST_OPENAI=http://HOST:PORT/v1,MODEL; its key in OPENAI_API_KEY); where neither is named, the small one of
tests/llama. Its row is written where all 40 were played, and never for a double of the tests.

`useful`: the answer holds what it must, is refused as it should be, or is small talk; of the 40 and of talk.
`supported` are the sentences of written answers that their passages say, `failed` the parts of turns that the model
should have done and did not. Calls and tokens are means of a turn, seconds medians: to the first word shown, and to the
end.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import version
from itertools import groupby, zip_longest
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import httpx

from clew.agent.assistant import Assistant
from clew.agent.llm.ollama_writer import OllamaServer
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.agent.state import Piece, Turn
from clew.memory.knowledge.index.run import index
from tests.benchmarks.ablation import TALK, USEFUL, talk_verdict
from tests.benchmarks.conversations import verdict
from tests.llama.server import HOW, MODEL, NAME, SOURCES, cpuinfo, model, program, serving
from tests.ollama.server import DOUBLE
from tests.training.asked_turns import answers, cases_of

ROOT = Path(__file__).resolve().parents[2]
TURNS, QUESTIONS = Path(__file__).with_name("model_turns.jsonl"), TALK.parent / "cases" / "model_turns.jsonl"
PAGE = ROOT / "docs" / "models.md"
FOUND = "turns, useful, supported, refused, written, failed, calls, prompt tokens".split(", ")
HEADS = ["model", *FOUND, "first word, s", "turn, s", "versions", "processor"]


class Played(NamedTuple):
    """`first` and `whole` are seconds."""

    case: Mapping[str, Any]
    turn: Turn
    first: float
    whole: float

    @property
    def is_useful(self) -> bool:
        if self.case["collection"] != EXAMPLES:
            return talk_verdict(self.case, self.turn) in USEFUL
        if self.case["outcome"] == "small-talk":
            return self.turn.answer.outcome == "small-talk" and answers(self.case, self.turn.answer.plain)
        return verdict(self.case, self.turn) in USEFUL


EXAMPLES = "examples"
"""The collection of the 40."""


@click.command(help=__doc__)
@click.option("--by-kind", is_flag=True, help="Print a row for each kind of question too.")
@click.option("--first", type=int, help="Play only so many turns, and write nothing.")
def main(by_kind: bool, first: int | None) -> None:
    own, of_talk = cases_of_examples(), cases_of(TALK / "cases.jsonl") if TALK.is_dir() else []
    cases = [*own, *of_talk][:first]
    with TemporaryDirectory() as home, named_model() as (llm, server, versions):
        turns = list(played(cases, Path(home), llm=llm))
        is_real = not is_double(server)
    about = [versions, f"{cpuinfo('model name')}, {os.cpu_count()} cores"]
    made = [llm, *figures(turns), *about]
    kinds = dict.fromkeys(one.case["kind"] for one in turns) if by_kind else ()
    rows = [[kind, *figures([one for one in turns if one.case["kind"] == kind]), *about] for kind in kinds]
    click.echo("".join(map(line, (HEADS, ["---"] * len(HEADS), made, *rows))), nl=False)
    if is_real and first is None and all("question" in one for one in own):
        PAGE.write_text(with_row(PAGE.read_text("utf-8"), made), "utf-8")
        click.echo(f"written to {PAGE.name}", err=True)


def cases_of_examples() -> list[dict[str, Any]]:
    """The 40; without ../shared those that have a question here."""
    asked = cases_of(QUESTIONS) if QUESTIONS.is_file() else []
    given = {"collection": EXAMPLES, "must_not": [], "most_words": 60}
    made = [{**given, **(one or {}), **(two or {})} for one, two in zip_longest(asked, cases_of(TURNS))]
    made = [one for one in made if "question" in one]
    return [{**one, "conversation": one["thread"]} for one in made]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def with_row(page: str, row: Sequence[str]) -> str:
    """The page with this row in its table, in the place of an earlier one of the model."""
    table = re.compile(rf"({re.escape(line(HEADS))}\|[- |]*\n)((?:\|.*\n)*)")
    assert table.search(page), "the table of the page has other columns"

    def renewed(found: re.Match[str]) -> str:
        others = [one for one in found[2].splitlines(True) if not one.startswith(f"| {row[0]} |")]
        return found[1] + "".join((*others, line(row)))

    return table.sub(renewed, page)


@contextmanager
def named_model() -> Iterator[tuple[str, str, str]]:
    """What `--llm` takes, the address of its server, and the versions of what takes part."""
    ours = f"clew {version('clew')}"
    if ollama := os.environ.get("CLEW_TEST_OLLAMA"):
        host = OllamaServer().url
        yield f"ollama:{ollama}", host, f"{ours}, Ollama {said(host, 'api/version', 'version')}"
    elif openai := os.environ.get("CLEW_TEST_OPENAI"):
        host = openai.partition("/v1")[0]
        yield at(*openai.split(",", 1)), host, f"{ours}, server {said(host, 'props', 'build_info')}"
    elif not program() or not model():
        raise SystemExit(f"skipped: {HOW}; CLEW_TEST_OLLAMA or CLEW_TEST_OPENAI names another")
    else:
        with serving() as (host, _):
            yield at(f"{host}/v1", NAME), host, ", ".join([ours, *(one.split()[0] for one in (MODEL, SOURCES))])


def at(url: str, name: str) -> str:
    """The name for `--llm` of a model there; the provider's package looks for the address in the environment."""
    os.environ["OPENAI_BASE_URL"] = url
    os.environ.setdefault("OPENAI_API_KEY", "none")
    return f"openai:{name}"


def said(server: str, path: str, name: str) -> str:
    """What a server says of itself; a question mark where it does not."""
    try:
        return str(httpx.get(f"{server}/{path}", timeout=5).json().get(name, "?"))
    except (httpx.HTTPError, ValueError):
        return "?"


def is_double(server: str) -> bool:
    """Raises `httpx.HTTPError` where nothing answers."""
    return DOUBLE in httpx.get(server, timeout=5).headers.get("server", "")


def played(cases: Sequence[Mapping[str, Any]], folder: Path, **options: Any) -> Iterator[Played]:
    """The turns, by assistants whose libraries and threads are in the folder; cases of a collection stand together."""
    for name, its in groupby(cases, key=lambda case: str(case["collection"])):
        documents = ROOT / "examples" / "documents" if name == EXAMPLES else TALK / "collections" / name
        settings = read_settings(library=folder / name, home=folder / "home", **options)
        with closing(encoder_for(settings)) as encoder:
            list(index([documents], folder / name, encoder))
        with Assistant.open(settings) as assistant:
            assistant.warm_up()
            yield from (asked(assistant, case) for case in its)


def asked(assistant: Assistant, case: Mapping[str, Any]) -> Played:
    began, first = time.perf_counter(), 0.0
    for event in assistant.ask(f"{case['collection']}-{case['conversation']}", case["question"]):
        if isinstance(event, Piece | Turn):
            first = first or time.perf_counter() - began
    assert isinstance(event, Turn)
    one = Played(case, event, first, time.perf_counter() - began)
    mark = "+" if one.is_useful else "-"
    click.echo(f"{mark} {case['question']} -> {event.answer.text or event.answer.outcome}", err=True)
    return one


def figures(these: Sequence[Played]) -> list[str]:
    """The cells between the model and the versions."""
    turns = [one.turn for one in these]
    written = [turn for turn in turns if turn.model and not turn.answer.refused]
    verdicts = [claim.verdict for turn in written for claim in turn.answer.claims]
    sets = [[one for one in these if (one.case["collection"] == EXAMPLES) is own] for own in (True, False)]
    counts = [" + ".join(str(len(one)) for one in sets if one)]
    counts += [" + ".join(str(sum(its.is_useful for its in one)) for one in sets if one)]
    counts += [f"{verdicts.count('supported')} of {len(verdicts)}", f"{sum(turn.answer.refused for turn in turns)}"]
    counts += [str(len(written)), str(sum(len(turn.degraded) for turn in turns))]
    read = mean(sum(line.read or line.estimated for line in turn.ledger) for turn in turns)
    means = [mean(len(turn.ledger) for turn in turns), median(one.first for one in these)]
    calls, first, whole = (f"{value:.1f}" for value in [*means, median(one.whole for one in these)])
    return [*counts, calls, f"{read:.0f}", first, whole]


if __name__ == "__main__":
    main()
