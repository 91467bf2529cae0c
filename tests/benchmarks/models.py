"""What a language model makes of conversations over examples/documents: a row for the tables of the documentation.

    python -m tests.benchmarks.models [QUESTIONS.jsonl] [--by-kind]

QUESTIONS has lines of `thread`, `kind` and `question`, asked in their order. The model is that of an Ollama
(CLEW_TEST_OLLAMA=MODEL), or of an OpenAI-compatible server (CLEW_TEST_OPENAI=http://HOST:PORT/v1,MODEL; its key in
OPENAI_API_KEY); where neither is named, the small one of tests/llama. A turn is answered, refused, or something else:
small talk, a question back, stopped. An answer is written by the model or quoted. `unsupported` are the sentences of
written answers that are marked so, `failed` the parts of turns that the model should have done and did not. Calls and
tokens are means of a turn, seconds medians: to the first word that is shown, and to the end.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import httpx

from clew.agent.assistant import Assistant
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.agent.state import Piece, Turn
from clew.memory.knowledge.index.run import index
from tests.llama.server import HOW, NAME, cpuinfo, model, program, serving

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = ROOT.parent / "shared" / "cases" / "model_turns.jsonl"
ANSWERED = ("answered", "partial", "summary")
FOUND = "turns, answered, refused, else, written, quoted, unsupported, failed, calls, prompt tokens".split(", ")
HEADS = [*FOUND, "first word, s", "turn, s"]


class Played(NamedTuple):
    """`first` and `whole` are seconds."""

    kind: str
    turn: Turn
    first: float
    whole: float


@click.command(help=__doc__)
@click.argument("questions", type=click.Path(path_type=Path), default=QUESTIONS)
@click.option("--by-kind", is_flag=True, help="A row for each kind of question too.")
def main(questions: Path, by_kind: bool) -> None:
    if not questions.is_file():
        raise SystemExit(f"skipped: there are no questions at {questions}")
    cases = [json.loads(line) for line in questions.read_text("utf-8").splitlines() if line]
    with TemporaryDirectory() as home, named_model() as (llm, versions):
        turns = list(played(cases, ROOT / "examples" / "documents", Path(home), llm=llm))
    rows = [["model", *HEADS, "versions", "processor"], ["---"] * (len(HEADS) + 3)]
    for kind in ["", *(dict.fromkeys(one.kind for one in turns) if by_kind else ())]:
        found = figures([one for one in turns if kind in ("", one.kind)])
        rows.append([f"{llm} {kind}".strip(), *found, versions, f"{cpuinfo('model name')}, {os.cpu_count()} cores"])
    click.echo("\n".join(f"| {' | '.join(row)} |" for row in rows))


@contextmanager
def named_model() -> Iterator[tuple[str, str]]:
    """What `--llm` takes, and the versions of what takes part."""
    ours = f"clew {version('clew')}"
    if ollama := os.environ.get("CLEW_TEST_OLLAMA"):
        host = os.environ.get("OLLAMA_HOST") or "127.0.0.1:11434"
        yield f"ollama:{ollama}", f"{ours}, Ollama {said(host, 'api/version', 'version')}"
    elif openai := os.environ.get("CLEW_TEST_OPENAI"):
        yield at(*openai.split(",", 1)), f"{ours}, server {said(openai.partition('/v1')[0], 'props', 'build_info')}"
    elif not program() or not model():
        raise SystemExit(f"skipped: {HOW}; CLEW_TEST_OLLAMA or CLEW_TEST_OPENAI names another")
    else:
        with serving() as (url, _):
            yield at(f"{url}/v1", NAME), f"{ours}, llama.cpp {said(url, 'props', 'build_info')}"


def at(url: str, name: str) -> str:
    """The name for `--llm` of a model there; the provider's package looks for the address in the environment."""
    os.environ["OPENAI_BASE_URL"] = url
    os.environ.setdefault("OPENAI_API_KEY", "none")
    return f"openai:{name}"


def said(server: str, path: str, name: str) -> str:
    """What a server says of itself; a question mark where it does not."""
    url = server if "://" in server else f"http://{server}"
    try:
        return str(httpx.get(f"{url}/{path}", timeout=5).json().get(name, "?"))
    except (httpx.HTTPError, ValueError):
        return "?"


def played(cases: Sequence[Mapping[str, str]], documents: Path, folder: Path, **options: Any) -> Iterator[Played]:
    """The turns, by an assistant whose library and threads are in the folder."""
    settings = read_settings(library=folder / "library", home=folder / "home", **options)
    with closing(encoder_for(settings)) as encoder:
        list(index([documents], folder / "library", encoder))
    with Assistant.open(settings) as assistant:
        assistant.warm_up()
        for case in cases:
            began, first = time.perf_counter(), 0.0
            for event in assistant.ask(case["thread"], case["question"]):
                if isinstance(event, Piece | Turn):
                    first = first or time.perf_counter() - began
            assert isinstance(event, Turn)
            yield Played(case["kind"], event, first, time.perf_counter() - began)
            click.echo(f"{case['question']} -> {event.answer.text or event.answer.outcome}", err=True)


def figures(these: Sequence[Played]) -> list[str]:
    """The cells below `HEADS`."""
    turns = [one.turn for one in these]
    answered = [turn for turn in turns if turn.answer.outcome in ANSWERED]
    refused, written = [turn for turn in turns if turn.answer.refused], [turn for turn in answered if turn.model]
    verdicts = [claim.verdict for turn in written for claim in turn.answer.claims]
    counts = [len(turns), len(answered), len(refused), len(turns) - len(answered) - len(refused)]
    counts += [len(written), len(answered) - len(written)]
    marked, failed = f"{verdicts.count('unsupported')} of {len(verdicts)}", sum(len(turn.degraded) for turn in turns)
    read = mean(sum(line.read or line.estimated for line in turn.ledger) for turn in turns)
    means = [mean(len(turn.ledger) for turn in turns), median(one.first for one in these)]
    calls, first, whole = (f"{value:.1f}" for value in [*means, median(one.whole for one in these)])
    return [*map(str, counts), marked, str(failed), calls, f"{read:.0f}", first, whole]


if __name__ == "__main__":
    main()
