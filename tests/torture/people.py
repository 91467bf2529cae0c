"""50 people on one page: the connections of a browser, the real encoder, 10,000 chunks.

Each asks what only one document says, so that whose answer it is can be seen. First one person alone; then all of them
with 5 to 20 s of reading between two questions; then without, until 5,000 turns are made.
"""

import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from gradio_client.utils import apply_diff

from clew.ui.web.views import AT_ONCE, NOT_THERE, WAITING
from tests.torture import Points, Run
from tests.ui.browsing import free_port

PEOPLE, TURNS, LASTING, CHUNKS = 50, 10, 5_000, 10_000
READING = (5.0, 20.0)
WARM = 3
"""Turns before anything is timed."""

SLOWER, THROUGHPUT, PLACE = 8.0, 0.8, 1.0
"""At most so many times one person's time to the first word; at least so much of one person's turns a second on every
core; seconds within which who waits sees where."""

PATIENCE = 600.0
GROWTH = 1.10
"""Of the server's memory, from a fifth of the turns to all of them; plus what a few pages of an allocator are."""

PAGES = 32 << 20


@dataclass(frozen=True, slots=True)
class Fact:
    question: str
    answer: str
    text: str


def facts(count: int, chance: random.Random) -> list[Fact]:
    """Of places that are nowhere else."""
    names: dict[str, None] = {}
    while len(names) < count:
        syllables = ("".join(chance.choice(part) for part in ("bdfgklmnprstvz", "aeiou", "lnrs")) for _ in range(3))
        names["".join(syllables).capitalize()] = None
    made = []
    for name in names:
        year, height = str(chance.randrange(1200, 1990)), chance.randrange(20, 900)
        text = (
            f"The lighthouse of {name} was built in {year}. It stands on a rock {height} metres from the harbour, and "
            f"the people of {name} keep its lamp. Boats pass it on the way to the market and back."
        )
        made.append(Fact(f"When was the lighthouse of {name} built?", year, text))
    return made


@dataclass(slots=True)
class Timed:
    """A turn as its tab saw it: seconds from the question to the first word, to the last one, and until it was said
    where in the queue it is, or what is done; `wrong` is empty where all was right."""

    first: float = 0.0
    whole: float = 0.0
    place: float = 0.0
    wrong: str = ""


@dataclass
class Tab:
    """A tab of a browser of its own: speaks with the page as Gradio's program does."""

    browser: httpx.AsyncClient
    name: str
    shown: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    wired: dict[str, tuple[int, list[str]]] = field(default_factory=dict)

    async def open(self) -> None:
        """The page with all that it loads; what its events are, and what they change."""
        (await self.browser.get("/")).raise_for_status()
        config = (await self.browser.get("/config")).raise_for_status().json()
        ids = {part["id"]: part["props"].get("elem_id") or "" for part in config["components"]}
        for event in config["dependencies"]:
            changes = [ids[one] for one in event["outputs"]]
            for target, kind in event["targets"]:
                self.wired[f"{ids.get(target, '')} {kind}".strip()] = event["id"], changes
        await self.begin()

    async def begin(self) -> None:
        """A new conversation."""
        self.asked = []
        async for _ in self._event("load", []):
            pass

    async def ask(self, fact: Fact) -> Timed:
        timed, began = Timed(), time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                async for _ in self._event("question submit", [self.shown.get("thread", ""), fact.question]):
                    now, since = str(self.shown.get("now-html", "")), time.monotonic() - began
                    if not timed.place and (WAITING in now or "Working" in now or "<li>" in now):
                        timed.place = since
                    if not timed.first and ('class="answer' in now or self._answers() > len(self.asked)):
                        timed.first = since
            timed.whole = time.monotonic() - began
            timed.first, timed.place = timed.first or timed.whole, timed.place or timed.first
            timed.wrong = self._wrong(fact)
        except (TimeoutError, httpx.HTTPError, RuntimeError) as error:
            timed.whole = time.monotonic() - began
            timed.wrong = f"{type(error).__name__} {error}"
        self.asked.append(fact.question)
        return timed

    def _answers(self) -> int:
        return str(self.shown.get("past-html", "")).count("<article")

    def _wrong(self, fact: Fact) -> str:
        past, now = str(self.shown.get("past-html", "")), str(self.shown.get("now-html", ""))
        questions = re.findall(r'class="question">([^<]*)<', past)
        if 'class="notice error' in now or NOT_THERE in now:
            return f"an error: {now[now.index('notice') :][:200]}"
        if questions != [*self.asked, fact.question]:
            return f"the page shows {questions[-2:]}, and {fact.question!r} was asked"
        last = past[past.rindex("<article") :]
        return "" if fact.answer in last else f"{fact.question!r} is answered without {fact.answer}"

    async def _event(self, event: str, data: list[Any]) -> AsyncIterator[None]:
        """Whenever something of the page has changed."""
        index, changes = self.wired[event]
        sent = {"data": data, "fn_index": index, "event_data": None, "trigger_id": None, "session_hash": self.name}
        joined = (await self.browser.post("/gradio_api/queue/join", json=sent)).raise_for_status().json()["event_id"]
        values: list[Any] = []
        stream = self.browser.stream("GET", "/gradio_api/queue/data", params={"session_hash": self.name})
        async with stream as answer:
            answer.raise_for_status()
            async for line in answer.aiter_lines():
                said = json.loads(line[6:]) if line.startswith("data: ") else {}
                if said.get("event_id") != joined:
                    continue
                output = (said.get("output") or {}).get("data") or []
                if said["msg"] == "process_generating":
                    values = (
                        [apply_diff(old, diff) for old, diff in zip(values, output, strict=True)] if values else output
                    )
                    for name, value in zip(changes, values, strict=True):
                        if isinstance(value, str):
                            self.shown[name] = value
                    yield
                elif said["msg"] == "process_completed":
                    if not said["success"]:
                        raise RuntimeError(f"the page's event failed: {said['output']}")
                    return
        raise RuntimeError("the stream ended before the answer did")


def _heeds_interrupts() -> None:
    """As from a terminal: what a shell starts behind its back ignores Ctrl-C, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def served(folder: Path, made: list[Fact]) -> Iterator[tuple[str, int]]:
    """The address that lets a browser in, and the server's process."""
    rows = ({"_id": str(number), "title": "", "text": fact.text} for number, fact in enumerate(made))
    (folder / "data").mkdir()
    (folder / "data" / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    clew = [sys.executable, "-m", "clew.ui.cli"]
    library = ["--library", str(folder / "library")]
    subprocess.run([*clew, "index", str(folder / "data" / "corpus.jsonl"), *library, "--quiet"], check=True)
    command = [*clew, "ui", *library, "--port", str(free_port())]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=_heeds_interrupts)
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        if "token=" not in line:
            raise RuntimeError(line + server.stderr.read())
        yield line.split()[3], server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=120)


@asynccontextmanager
async def tabs(address: str, count: int) -> AsyncIterator[list[Tab]]:
    """Each with connections of its own, all of them let in."""
    page = httpx.URL(address)
    with httpx.Client() as first:
        cookie = first.get(address).cookies
    opened: list[Tab] = []
    try:
        for number in range(count):
            headers = {"Origin": f"http://{page.netloc.decode()}"}
            browser = httpx.AsyncClient(
                base_url=page.copy_with(query=None), cookies=cookie, headers=headers, timeout=PATIENCE, trust_env=False
            )
            opened.append(Tab(browser, f"tab{number}"))
            await opened[-1].open()
        yield opened
    finally:
        for tab in opened:
            await tab.browser.aclose()


def memory(process: int) -> int:
    """Bytes that are the process's own."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"^RssAnon:\s+(\d+)", status, re.MULTILINE)[0]) * 1024


async def said(tab: Tab, questions: list[Fact], pauses: list[float]) -> list[Timed]:
    """A conversation: a pause before each question."""
    await tab.begin()
    turns = []
    for fact, pause in zip(questions, pauses, strict=True):
        await asyncio.sleep(pause)
        turns.append(await tab.ask(fact))
    return turns


async def everybody(
    everyone: list[Tab], made: list[Fact], chance: random.Random, reading: bool, turns: int = TURNS
) -> tuple[list[Timed], float]:
    """A conversation of each, and the seconds that all of them took."""
    began = time.monotonic()
    drawn = [
        (chance.sample(made, turns), [chance.uniform(*READING) if reading else 0.0 for _ in range(turns)])
        for _ in everyone
    ]
    talks = await asyncio.gather(*(said(tab, *one) for tab, one in zip(everyone, drawn, strict=True)))
    return [turn for talk in talks for turn in talk], time.monotonic() - began


async def talked(address: str, process: int, made: list[Fact], run: Run) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []

    def note(what: str, turns: list[Timed]) -> None:
        found.extend((f"{what}, turn {number}", turn.wrong) for number, turn in enumerate(turns, 1))

    async with tabs(address, run.some(PEOPLE)) as everyone:
        chance = run.chance("people")
        await everybody(everyone[:1], made, chance, reading=False, turns=WARM)
        alone, seconds = await everybody(everyone[:1], made, chance, reading=False)
        note("alone", alone)
        _figure("seconds to the first word, p50 of one alone", one := statistics.median(turn.first for turn in alone))
        _figure("turns a second of one alone", rate := len(alone) / seconds)
        read, _ = await everybody(everyone, made, chance, reading=True)
        note("reading", read)
        late = statistics.quantiles((turn.first for turn in read), n=20)[-1]
        found.append(_figure("seconds to the first word, p95 of all", late, most=SLOWER * one))
        hurried, seconds = await everybody(everyone, made, chance, reading=False)
        note("without pauses", hurried)
        cores = min(AT_ONCE, len(everyone))
        found.append(_figure("turns a second", len(hurried) / seconds, least=THROUGHPUT * rate * cores))
        places = max(turn.place for turn in hurried)
        found.append(_figure("seconds until the place in the queue is said", places, most=PLACE))
        count, total, early = len(read) + len(hurried), run.some(LASTING), 0
        while count < total:
            turns, _ = await everybody(everyone, made, chance, reading=False)
            note(f"lasting {count}", turns)
            count += len(turns)
            early = early or (memory(process) if count >= total / 5 else 0)
        if early:
            found.append(_figure("bytes of the server", memory(process), most=early * GROWTH + PAGES))
    return found


def _figure(what: str, was: float, least: float = 0.0, most: float = float("inf")) -> tuple[str, str]:
    said = f"{was:.4g}, and it has to be {f'at least {least:.4g}' if least else f'at most {most:.4g}'}"
    print(f"people: {what}: {said}", file=sys.stderr, flush=True)
    return what, "" if least <= was <= most else said


def points(run: Run) -> Points:
    made = facts(max(run.some(CHUNKS), 200), run.chance("facts"))
    os.environ.pop("OMP_NUM_THREADS", None)
    with served(run.folder, made) as (address, process):
        yield from asyncio.run(talked(address, process, made, run))
