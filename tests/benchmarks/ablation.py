"""What each part of the answer earns: conversations are played without it, and compared with those played with it.

    python -m tests.benchmarks.ablation [--without NAME ...] [--keep FOLDER] [--processes 2]

Each NAME is one arm: a part of `PARTS`, or several joined by "+"; without any, every part alone. Played are the turns
of `conversations/unseen.jsonl` in CLEW_DATA and of `talk/cases.jsonl` beside it; of the questions of
`unseen_follow_ups.txt` those count as useful that are put as a person has. FOLDER keeps the libraries and what was
answered: an arm that was played is not played again. A line is printed for each arm and set: useful turns, those to the
point, wrongly refused, invented, mean words; and against all parts the turns gained and lost, with the 90% interval
of the difference by a bootstrap over conversations.

Where the judge refuses more or fewer of the turns that have an answer than with all parts, the arm is played again with
its thresholds moved so that it refuses as many: then it counts whom it refuses, and not that all log odds have moved.
Its models are not fitted anew.
"""

import importlib
import importlib.util
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clew.agent.answer import quoted
from clew.agent.answer.judge import Judge, JudgeVerdict, judge
from clew.agent.answer.reader import PairScorer
from clew.agent.answer.selection import Excerpt
from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.agent.models import encoder_for
from clew.agent.nodes import leaned_on
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.datatypes import Utterance
from clew.memory.dialogue import tagger
from clew.memory.dialogue.utterances import extract, tidy
from clew.memory.encoding import ContentCache
from clew.memory.knowledge.document_parts import Candidate
from clew.memory.knowledge.index.run import index
from tests.benchmarks.conversations import verdict
from tests.memory.dialogue.conversations import follow_ups, same
from tests.training.asked_turns import DATA, FOLDER, cases_of

TALK = DATA.parent / "talk"
FOLLOW_UPS = Path(__file__).parent.parent / "memory" / "dialogue"
DRAWS = 2000
"""Of the bootstrap."""

Stub = Callable[..., Any]


def always(value: Any) -> Stub:
    return lambda *_, **__: value


PARTS: Mapping[str, Mapping[str, Stub]] = {
    "nothing": {},
    "rewriting": {"clew.memory.dialogue.tagger:stand_alone": lambda question, *_: tagger.StandingQuestion(question)},
    "multi_question": {"clew.agent.talk.multi_question:questions_of": lambda text: (text,)},
    "scope": {"clew.memory.knowledge.catalogue:document_meant": always(None)},
    "times": {"clew.agent.answer.selection:_in_time": lambda _, __, scores, ___: ([*range(len(scores))], {})},
    "difference": {"clew.agent.answer.arithmetic:difference": always(None)},
    "tables": {"clew.agent.answer.table_answers:table_answer": always(None)},
    "other names": {"clew.agent.answer.score_adjustments:of_other_names": lambda _, of: np.zeros(len(of.candidates))},
    "opposed": {"clew.agent.answer.score_adjustments:opposed": lambda _, of: np.zeros(len(of.candidates))},
    "authors": {
        "clew.agent.answer.score_adjustments:by_named_authors": lambda _, of: np.zeros(len(of.candidates)),
        "clew.agent.answer.quoted:_names_an_author": always(False),
    },
    "headings": {"clew.agent.answer.score_adjustments:asked_headings": lambda _, of: [[] for _ in of.candidates]},
    "continued": {"clew.agent.answer.evidence:continued": lambda *_: set()},
    "said again": {"clew.agent.answer.selection:_says_again": always(False)},
    "evidence": {"clew.memory.dialogue.rewriting:with_evidence": lambda made, *_: made},
    "bold": {"clew.agent.answer.reader:with_bold": lambda answer, _: answer},
    "corpus": {"clew.agent.answer.corpus_answers:corpus_answer": always(None)},
    "growing": {"clew.agent.answer.selection:excerpt_of": lambda candidate, **_: _alone(candidate)},
    "announced": {"clew.agent.answer.selection:_announced": always([])},
    "columns": {"clew.memory.knowledge.document_parts:names_columns": always(False)},
    "spelling": {"clew.memory.dialogue.rewriting:with_spelling": lambda made, *_: made},
    "dates": {"clew.memory.dialogue.rewriting:with_dates": lambda made, *_: made},
    "cognates": {"clew.memory.dialogue.rewriting:with_cognates": lambda made, *_: made},
}


def _alone(candidate: Candidate) -> Excerpt:
    return Excerpt(candidate, "sentence", (candidate.span,))


def switched_off(names: Sequence[str]) -> None:
    """Puts the stubs of these parts in their places, in every module that has imported them."""
    for name in names:
        for place, stub in PARTS[name].items():
            module, _, function = place.partition(":")
            real = getattr(importlib.import_module(module), function)
            for loaded in [one for key, one in sys.modules.items() if key.startswith("clew.")]:
                for own, value in list(vars(loaded).items()):
                    if value is real:
                        setattr(loaded, own, stub)


def remembered(file: Path) -> None:
    """Keeps what was read together with a question: most of it is the same in each arm."""
    cache, real = ContentCache(lambda: file, "pairs"), PairScorer.scores

    def scores(self: PairScorer, question: str, texts: Sequence[str]) -> Any:
        def read(unread: list[str]) -> Iterator[bytes]:
            return (np.float32(one).tobytes() for one in real(self, question, unread))

        return np.array([np.frombuffer(one, np.float32)[0] for one in cache.encoded(texts, question, 64, read)])

    PairScorer.scores = scores  # type: ignore[method-assign]


def margins_with(up: float) -> list[float]:
    """Moves the thresholds of a refusal `up`. Returns a list to which it will add by how much the log
    odds of each turn exceed the higher of them."""
    margins = list[float]()

    def judged(signals: Mapping[str, float], by: Judge) -> JudgeVerdict:
        refuse, foreign = (replace(one, least=one.least + up) for one in (by.refuse, by.foreign))
        margins.append(max(refuse.margin(signals), foreign.margin(signals)))
        return judge(signals, replace(by, refuse=refuse, foreign=foreign))

    quoted.judge = judged  # type: ignore[attr-defined]
    return margins


def moved(rows: Sequence[Mapping[str, Any]], base: Sequence[Mapping[str, Any]]) -> float:
    """How far the thresholds have to go up so that as many turns with an answer are refused as in `base`."""
    now, then = ([one["margin"] for one in each if one.get("margin") is not None] for each in (rows, base))
    wanted, order = sum(one >= 0 for one in then), sorted(now, reverse=True)
    if not then or wanted == sum(one >= 0 for one in now) or not 0 < wanted < len(order):
        return 0.0
    return float(order[wanted - 1] + order[wanted]) / 2


def played(names: Sequence[str], libraries: Path, up: float, of: tuple[str, str]) -> list[dict[str, Any]]:
    """Verdicts of one collection without these parts and with the judge's thresholds moved `up`; `of` is its set and
    its name."""
    switched_off(names)
    margins = margins_with(up)
    if of[0] == "follow-ups":
        return [*_follow_ups()]
    remembered(libraries.parent / "read" / "pairs.db")
    of_talk, collection = of[0] == "talk", of[1]
    cases = [one for one in _cases(of[0]) if one["collection"] == collection]
    library = libraries / of[0] / collection
    if not (library / "clew-library.json").exists():
        documents = (TALK / "collections" if of_talk else FOLDER / "documents") / collection
        for _ in index([documents], library, encoder_for(read_settings())):
            pass
    made: list[dict[str, Any]] = []
    with TemporaryDirectory() as home:
        settings = read_settings(library=library, home=Path(home), llm="none")
        with Assistant.open(settings) as assistant:
            for _, conversation in groupby(cases, key=lambda case: str(case["conversation"])):
                its = list(conversation)
                turns = _asked(assistant, its) if of_talk else _unseen(assistant, its)
                for case, turn in zip(its, turns, strict=True):
                    row = _row(of[0], case, turn, talk_verdict(case, turn) if of_talk else verdict(case, turn))
                    of_answer = max(margins, default=None) if case["outcome"] == "answered" else None
                    made.append(row | {"margin": of_answer})
                    margins.clear()
    return made


def _follow_ups() -> Iterator[dict[str, Any]]:
    for turn, case in enumerate(follow_ups((FOLLOW_UPS / "unseen_follow_ups.txt").read_text("utf-8"))):
        made = tidy(tagger.stand_alone(case.question, extract(case.before)).text)
        found = "R" if any(same(made, expected) for expected in case.expected) else "W"
        asked = {"conversation": case.conversation, "turn": turn, "question": case.question}
        yield {"set": "follow-ups", **asked, "verdict": found, "words": len(made.split()), "rewritten": made}


def _cases(name: str) -> list[dict[str, Any]]:
    return cases_of(TALK / "cases.jsonl" if name == "talk" else FOLDER / "unseen.jsonl")


def _unseen(assistant: Assistant, cases: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    history: list[Utterance] = []
    for case in cases:
        turn = answered(assistant.services, case["question"], history)
        history += leaned_on(turn)
        yield turn


def _asked(assistant: Assistant, cases: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    for case in cases:
        yield next(one for one in assistant.ask(case["conversation"], case["question"]) if isinstance(one, Turn))


def talk_verdict(case: Mapping[str, Any], turn: Turn) -> str:
    documents = [source.document for source in turn.answer.sources]
    run = {
        "answer": turn.answer.text,
        "outcome": turn.answer.outcome,
        "sentences": [
            {"text": one.text, "cites": [{"document": documents[n - 1], "quote": one.text} for n in one.cites]}
            for one in turn.answer.claims
        ],
        "passages": [{"document": one.document, "text": one.text} for one in turn.passages],
    }
    found: str = _scorer()(case, run)["verdict"]
    return found


@cache
def _scorer() -> Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]:
    spec = importlib.util.spec_from_file_location("clew_talk_score", TALK / "score.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]] = module.judge
    return found


def _row(name: str, case: Mapping[str, Any], turn: Turn, found: str) -> dict[str, Any]:
    words, texts = len(turn.answer.plain.split()), {"rewritten": turn.rewritten, "answer": turn.answer.text}
    asked = {of: case[of] for of in ("conversation", "turn", "question")}
    return {"set": name, **asked, "verdict": found, "words": words, **texts}


USEFUL, TO_THE_POINT = ("R", "P", "C", "RR", "AB+"), ("R", "C", "RR", "AB+")


def line(rows: Sequence[Mapping[str, Any]], base: Mapping[tuple[str, int], Mapping[str, Any]]) -> str:
    """The figures of an arm, and what differs from `base`."""
    useful = [one["verdict"] in USEFUL for one in rows]
    was = [base[one["conversation"], one["turn"]]["verdict"] in USEFUL for one in rows]
    point = sum(one["verdict"] in TO_THE_POINT for one in rows)
    refused = sum(one["verdict"] == "WR" for one in rows)
    invented = sum(one["verdict"] == "AU" for one in rows)
    gained = sum(now and not then for now, then in zip(useful, was, strict=True))
    lost = sum(then and not now for now, then in zip(useful, was, strict=True))
    low, high = interval(rows, [now - then for now, then in zip(useful, was, strict=True)])
    words = mean(one["words"] for one in rows)
    return (
        f"{sum(useful):>7}{point:>7}{refused:>8}{invented:>9}{words:>7.1f}{gained:>7}{lost:>6}   [{low:+d}, {high:+d}]"
    )


def interval(rows: Sequence[Mapping[str, Any]], differences: Sequence[int]) -> tuple[int, int]:
    """Of the sum of the differences, 90%, by drawing conversations with replacement."""
    own: dict[str, int] = defaultdict(int)
    for row, difference in zip(rows, differences, strict=True):
        own[row["conversation"]] += difference
    draw, sums = random.Random(0), list(own.values())
    found = sorted(sum(draw.choices(sums, k=len(sums))) for _ in range(DRAWS))
    return found[DRAWS // 20], found[-DRAWS // 20]


def arm(
    names: Sequence[str], keep: Path, processes: int, base: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Played, or as it was kept. `base` was played with all parts."""
    kept = keep / f"{'+'.join(names)}.jsonl"
    if kept.exists():
        return cases_of(kept)
    collections = [
        (name, one) for name in ("unseen", "talk") for one in dict.fromkeys(c["collection"] for c in _cases(name))
    ] + [("follow-ups", "")]
    pool = ProcessPoolExecutor(processes, get_context("spawn"), threadpool_limits, (1,), max_tasks_per_child=1)

    def rows_with(up: float) -> list[dict[str, Any]]:
        return [one for its in pool.map(partial(played, names, keep / "libraries", up), collections) for one in its]

    with pool:
        made = rows_with(0.0)
        if up := moved(made, base):
            made = rows_with(up)
    kept.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made), "utf-8")
    return made


@click.command(help=__doc__)
@click.option("--without", multiple=True, metavar="NAME[+NAME]")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), default=Path(".clew-training/ablation"))
@click.option("--processes", default=2, show_default=True)
def main(without: Sequence[str], keep: Path, processes: int) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    arms = [name.split("+") for name in without] or [[name] for name in PARTS if name != "nothing"]
    if unknown := [name for names in arms for name in names if name not in PARTS]:
        raise click.UsageError(f"there is no part {', '.join(unknown)}: {', '.join(PARTS)}")
    whole = arm(["nothing"], keep, processes)
    base = {(one["conversation"], one["turn"]): one for one in whole}
    click.echo(
        f"{'without':28}{'set':12}{'useful':>7}{'point':>7}{'refused':>8}{'invented':>9}{'words':>7}"
        f"{'gained':>7}{'lost':>6}   90%"
    )
    for names in (["nothing"], *arms):
        rows = arm(names, keep, processes, whole)
        for name in ("unseen", "talk", "follow-ups"):
            click.echo(f"{'+'.join(names):28}{name:12}" + line([one for one in rows if one["set"] == name], base))


if __name__ == "__main__":
    main()
