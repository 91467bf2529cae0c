"""A library and a conversation that an accident happens to, and what has to be true of them afterwards."""

import itertools
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import NamedTuple, Protocol

from clew.agent.assistant import Assistant
from clew.agent.settings import DATABASE, read_settings
from clew.agent.state import Turn
from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.disk import POINTER, current_generation, read_manifest, required_generation
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.partitioning.capsule import CURRENT, PartitionPlan, capsules
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.partitioner import partition_library
from clew.memory.knowledge.proof import proven
from tests.memory.knowledge.index.test_history import alike, contents
from tests.torture.layer import Accident, Ended, clew

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
BEFORE = ("people/fritz-lang.md", "films/metropolis.md", "space/moon-distance.md", "animals/laika.md")
ADDED = ("people/yuri-gagarin.md", "places/baikonur.md")
CHANGED, REMOVED = "metropolis.md", "laika.md"
QUESTIONS = ("Who directed the film Metropolis?", "and where was he born?", "Who was Yuri Gagarin?")
THREAD, TRAINED = "t", "mlp-infonce.safetensors"
PLACES = {
    **{"first run": 40, "second run": 80, "first turn": 30, "turn": 50},
    **{"partitions": 20, "partitions anew": 20, "aligner": 20},
}
"""Of accidents to each kind."""

Asked = tuple[str, str, str, str]
"""A turn's question, as it was asked and as it stands alone, its answer and what becomes of it."""


class Command(Protocol):
    def __call__(self, folder: Path, accident: Accident, record: Path | None = None) -> Ended: ...


class Kind(NamedTuple):
    """What accidents happen to: what is there `before`, nothing for None, and what tells what is `wrong` afterwards."""

    name: str
    before: Path | None
    command: Command
    wrong: Callable[[Path, str], str]


class Scene:
    """`notes` change between two runs: `before` has the library of the first and a conversation of one turn; what a run
    and two more turns make of it is what every accident has to come to in the end."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.notes, self.before = folder, folder / "notes", folder / "before"
        self._numbers = itertools.count()
        self.notes.mkdir(parents=True)
        for name in BEFORE:
            shutil.copy(DOCUMENTS / name, self.notes)
        self._encoder = load_encoder(MINILM, folder / "shared")
        self.index_anew(self.before)
        for name in ADDED:
            shutil.copy(DOCUMENTS / name, self.notes)
        changed = (self.notes / CHANGED).read_text("utf-8")
        (self.notes / CHANGED).write_text(changed[: len(changed) // 2], "utf-8")
        (self.notes / REMOVED).unlink()
        self.after = folder / "after"
        self.index_anew(self.after)
        self.wanted = contents(self.after / "library")
        self.states = {self._fingerprint(self.before): "old", self._fingerprint(self.after): "new"}
        self.silent = folder / "silent"  # before any conversation
        shutil.copytree(self.before, self.silent)
        self.asked(self.before, QUESTIONS[:1])
        self.turns = {
            (before, told): self._answers(before, QUESTIONS[1 if told else 2 :])
            for before in (self.silent, self.before)
            for told in (False, True)
        }

    def index_anew(self, folder: Path) -> None:
        """In this process, with the cache that is in the folder."""
        encoder = CachedEncoder(self._encoder.uncached, folder / "cache" / "embeddings")
        *_, report = index([self.notes], folder / "library", encoder)
        encoder.close()
        assert isinstance(report, IndexReport) and not report.failed

    def asked(self, folder: Path, questions: Iterable[str]) -> list[Turn]:
        """All turns of the conversation, after these."""
        library, shared = self.after / "library", self.folder / "shared"
        with Assistant.open(read_settings(library=library, home=folder / "home", cache=shared)) as assistant:
            for question in questions:
                list(assistant.ask(THREAD, question))
            return assistant.turns(THREAD)

    def kinds(self) -> Iterator[Kind]:
        """By name: a run that makes a library and one that changes it, the first turn of all and another one."""
        yield Kind("first run", None, self.indexed, partial(self.wrong_library, there=False))
        yield Kind("second run", self.before, self.indexed, self.wrong_library)
        yield Kind("first turn", self.silent, self.told, partial(self.wrong_conversation, before=self.silent))
        yield Kind("turn", self.before, self.told, self.wrong_conversation)
        for name, size in (("partitions", 300), ("partitions anew", 200)):
            command = partial(self.partitioned, size=size)
            yield Kind(name, self.before, command, partial(self.wrong_partitions, size=size))
        yield Kind("aligner", self.before, self.aligned, self.wrong_aligner)

    def _answers(self, before: Path, questions: Iterable[str]) -> list[Asked]:
        with self.copied(before) as folder:
            return _told(self.asked(folder, questions))

    def _fingerprint(self, folder: Path) -> str:
        return read_manifest(required_generation(folder / "library")).fingerprint

    def copied(self, folder: Path | None) -> "Copy":
        """Of `before` or what else is given, for one point."""
        return Copy(folder, self.folder / "points" / str(next(self._numbers)))

    def indexed(self, folder: Path, accident: Accident, record: Path | None = None) -> Ended:
        return clew(["index", self.notes, "--library", folder / "library", "--json"], folder, accident, record)

    def partitioned(self, folder: Path, accident: Accident, record: Path | None = None, *, size: int) -> Ended:
        """Made of another size, or (200) in the place of those that are there."""
        return clew(["partition", "--library", folder / "library", "--size", size, "--json"], folder, accident, record)

    def aligned(self, folder: Path, accident: Accident, record: Path | None = None) -> Ended:
        train = ["align", "train", "--library", folder / "library", "--epochs", 1, "--size", 20, "--json"]
        return clew(train, folder, accident, record)

    def told(self, folder: Path, accident: Accident, record: Path | None = None) -> Ended:
        """The second question asked."""
        library = self.after / "library"
        return clew(
            ["ask", QUESTIONS[1], "--library", library, "--thread", THREAD, "--json=full"], folder, accident, record
        )

    def wrong_library(self, folder: Path, out: str, there: bool = True) -> str:
        """What is wrong behind an accident to `index`, which had said `out`; empty for nothing. `there`: a library was
        there before."""
        library, state = folder / "library", "gone"
        if generation := current_generation(library):
            if broken := self._broken(library):
                return broken
            state = self.states.get(read_manifest(generation).fingerprint, "another one")
        if state == "another one" or (state == "gone" and there):
            return f"it is neither what it was nor what it was to be: {state}"
        if '"new":' in out and state != "new":
            return f"it was said to be done, and it is {state}"
        self.index_anew(folder)
        made, wanted = contents(library), self.wanted
        if different := [name for name in {**made, **wanted} if not alike(made.get(name), wanted.get(name))]:
            return f"the next run makes another one: {', '.join(different)}"
        if more := {path.name for path in library.iterdir()} - {POINTER, "lock", required_generation(library).name}:
            return f"the next run leaves {', '.join(sorted(more))}"
        return ""

    def wrong_partitions(self, folder: Path, out: str, size: int) -> str:
        """As `wrong_library`, behind an accident to `partition`."""
        library, plan = folder / "library", PartitionPlan(size=size)
        if broken := self._broken(library):
            return broken
        generation = required_generation(library)
        with open_library(library, self._encoder) as opened:
            names, used = capsules(generation), opened.store.part().partitioning.size
        if used not in (200, size) or (out and used != size):
            return f"the partitions {used} are in use, and it said: {out}"
        for _ in partition_library(library, plan):
            pass
        generation = required_generation(library)
        there = {path.name for path in (generation / CAPSULES).iterdir()}
        if {*capsules(generation)} != {*names, plan.name} or there != {CURRENT, "hybrid-200", plan.name}:
            return f"the next run leaves {', '.join(sorted(there))}, and records {capsules(generation)}"
        return self._broken(library)

    def wrong_aligner(self, folder: Path, out: str) -> str:
        """As `wrong_library`, behind an accident to `align train`."""
        library = folder / "library"
        for trained in (False, True):
            if trained and (again := self.aligned(folder, Accident())).code:
                return f"the next run ends with {again.code}: {again.err}"
            if broken := self._broken(library):
                return broken
            aligners = required_generation(library) / CAPSULES / "hybrid-200" / "aligners"
            there = {path.name for path in aligners.iterdir()} if aligners.exists() else set()
            if (trained or out) and TRAINED not in there:
                return f"it was said to be trained, and there is {', '.join(there)}"
        if there != {TRAINED}:
            return f"the next run leaves {', '.join(sorted(there))}"
        return ""

    def wrong_conversation(self, folder: Path, out: str, before: Path | None = None) -> str:
        """As `wrong_library`, behind an accident to a turn."""
        before = before or self.before
        shown = any(json.loads(line)["event"] == "answer" for line in out.splitlines() if line.endswith("}"))
        turns = _told(self.asked(folder, QUESTIONS[2:]))
        with closing(sqlite3.connect(folder / "home" / DATABASE)) as database:
            (damage,) = database.execute("PRAGMA integrity_check").fetchone()
        if damage != "ok":
            return f"its database is damaged: {damage}"
        if turns != self.turns[before, True] and (shown or turns != self.turns[before, False]):
            return f"its turns are {turns}"
        return ""

    def _broken(self, library: Path) -> str:
        """What of the library in use is not as it was written, or cannot be searched."""
        if not (found := proven(required_generation(library))):
            return f"it is not whole: {found}"
        with open_library(library, self._encoder) as opened:
            return "" if opened.store.keyword_search(["metropolis"], 3)[0] else "nothing is found in it"


def _told(turns: Iterable[Turn]) -> list[Asked]:
    return [(turn.question, turn.rewritten, turn.answer.text, turn.answer.outcome) for turn in turns]


class Copy:
    """Of a folder, or an empty one; made where it is entered, if not before, and removed at the end."""

    def __init__(self, source: Path | None, folder: Path) -> None:
        self._source, self._folder = source, folder

    def make(self) -> Path:
        if self._source:
            shutil.copytree(self._source, self._folder)
        else:
            self._folder.mkdir(parents=True)
        return self._folder

    def __enter__(self) -> Path:
        return self._folder if self._folder.exists() else self.make()

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def at_once(tries: Iterable[tuple[str, Callable[[], str]]]) -> Iterator[tuple[str, str]]:
    """The points, by name and what tries them, as many at once as there are cores, in their order."""
    named = list(tries)
    pool = ThreadPoolExecutor(cpu_count())
    try:
        for (name, _), wrong in zip(named, pool.map(_tried, [one for _, one in named]), strict=True):
            yield name, wrong
    finally:
        pool.shutdown(cancel_futures=True)


def _tried(one: Callable[[], str]) -> str:
    try:
        return one()
    except Exception as error:  # noqa: BLE001 whatever is raised is what went wrong
        return f"it cannot be used: {error!r}"
