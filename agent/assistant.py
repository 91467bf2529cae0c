"""The assistant: all interfaces use it. It opens everything that turns need once, and runs turns on any thread."""

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Self, cast

from filelock import FileLock, Timeout
from langgraph.types import StateSnapshot, StreamMode

from clew.agent.graph import checkpoint_saver, config_for, forget_checkpoints, turn_graph
from clew.agent.models import AUTO, encoder_for, writers_for
from clew.agent.nodes import remember
from clew.agent.search.lookups import held_language
from clew.agent.services import Services, TurnContext, check_offered, services_for, tools_for
from clew.agent.settings import DATABASE, Settings
from clew.agent.state import LIBRARY, TURN_JSON, Doing, Piece, Step, Turn, TurnEvent, TurnSearch, TurnState
from clew.agent.talk.multi_question import QuestionsState, join
from clew.memory.datatypes import Sentence
from clew.memory.dates import check_day
from clew.memory.dialogue.threads import Threads
from clew.memory.dialogue.utterances import unique
from clew.memory.errors import BadInput, Cancelled, ClewError
from clew.memory.files import naming_full_disk, private_folder
from clew.memory.knowledge.cluster.connection import TURN, patience
from clew.memory.knowledge.library import current_state, open_library
from clew.memory.text import LANGUAGES, number_of, storable

WHAT_IS_KEPT = "the conversation is kept up to its last whole turn"

POLL = 0.05
"""Seconds between two looks at whether the person has given up waiting."""

LONGEST = 4_000
"""Characters of a question: some steps take the square of its length."""

AFTER_EVIDENCE = ("corpus", "answer", "verify", "remember")
"""The nodes that run again when a stopped answer is continued."""


class Assistant:
    """One library, one encoder, one database of threads; safe for several conversations at once.

    A turn is checkpointed after each node, so that one that a crash cut off is finished later, and is stored before
    it is handed out, so that no answer that was shown is lost. Two processes on one thread take turns. A turn keeps the
    state of the library that it began with; the next one that begins when no other runs has what was indexed meanwhile.
    """

    def __init__(self, services: Services, settings: Settings) -> None:
        self.services, self.threads, self.settings = services, services.threads, settings
        self._data = settings.home  # of threads and checkpoints
        self._moving = threading.Lock()  # to another state of the library
        self._over_it = 0  # turns that are over the state of now
        self._connection = sqlite3.connect(self._data / DATABASE, check_same_thread=False, timeout=60)
        self._connection.execute("PRAGMA synchronous = NORMAL")  # a checkpoint outlives the process, not the machine
        self._graph = turn_graph(checkpoint_saver(self._connection))

    @classmethod
    def open(cls, settings: Settings) -> "Assistant":
        """Raises `NoLibrary`, `LibraryMismatch` or `NoModel`. The encoder's model is not loaded yet: see `warm_up`."""
        with ExitStack() as opened:
            encoder = encoder_for(settings)
            opened.callback(encoder.close)
            library = open_library(settings.library, encoder)
            opened.callback(library.store.close)
            with naming_full_disk("no conversation can be kept"):
                threads = opened.enter_context(Threads(settings.home / DATABASE, library.manifest.id))
                assistant = cls(services_for(settings, library, encoder, threads), settings)
            opened.pop_all()
        return assistant

    def change(self, passages: int = 0, llm: str = "", language: str = "") -> None:
        """Change settings from the next turn on: the number of passages, the language models, the language; 0 and empty
        leave them as they are. Raises `BadInput` for a language that Clew does not speak, and what `writers_for`
        raises."""
        if language not in ("", AUTO, *LANGUAGES):
            raise BadInput(f"Clew does not speak '{language}'", ", ".join((AUTO, *LANGUAGES)))
        writers = self._writing(self.services, llm).writers
        changed = {name: value for name, value in (("llm", llm), ("language", language)) if value}
        with self._moving:
            self.services = replace(self.services, evidence=passages or self.services.evidence, writers=writers)
            self.settings = self.settings.model_copy(update=changed)

    def names(self, begun: str) -> list[str]:
        """Suggestions behind an @ in a question: names that contain `begun`."""
        with self.library_now() as services:
            return services.library.store.catalogue.suggested(begun)

    def warm_up(self) -> None:
        """Loads the encoder and reads the graph: seconds, which an interface can spend while the person types."""
        self.services.encoder.uncached.encode(["warm up"], "query")
        if self.services.library.store.whole and self.services.library.manifest.chunks:
            self.services.walker()
        self.services.library.store.vocabulary.counts(["warm"])

    def ask(
        self,
        thread: str,
        question: str,
        *,
        tool: str = "",
        scope: tuple[str, ...] = (),
        today: str = "",
        cancel: threading.Event | None = None,
        parent: int | None = None,
        understood: str = "",
        llm: str = "",
    ) -> Generator[TurnEvent, None, None]:
        """Run a turn: its steps as they happen, the words of an answer as a language model writes them, then the
        finished turn.

        `today`, ISO 8601, is the day that its "yesterday" counts from; without one such words stay as they are.
        `parent` is the id of the turn that it goes on from, 0 for none, by default the one that the thread is at: so a
        question is asked anew, or in other words, beside what was said then. `understood` is the question as it is to
        be understood, which is not rewritten; `llm` the language model of this turn, as the setting names it.
        A turn that a crash cut off on this thread is finished first: its steps and its `Turn` come before.
        Where `cancel` is set, it ends as a stopped turn with what was found and written by then. Raises `BadInput` for
        an empty question, one of more than `LONGEST` characters, an unknown tool or what is no day, `Cancelled` where
        it had to wait and was cancelled before it began.
        """
        question = storable(question).strip()
        if not question:
            raise BadInput("the question is empty", "type a question")
        if len(question) > LONGEST:
            wrong = f"the question has {len(question):,} characters, and at most {LONGEST:,} are read"
            raise BadInput(wrong, "index the text (clew index FILE), and ask about it")
        if today:
            check_day(today)
        with naming_full_disk(WHAT_IS_KEPT), self._held(thread, cancel), self._over_library() as (services, said):
            check_offered(tool, services)
            if cut_off := self._unfinished(thread):
                yield from self._run(services, cut_off, cancel, resumed=True)
            forget_checkpoints(self._data / DATABASE, thread)  # of a turn that was stored as its process died
            search = TurnSearch(tool=tool, scope=scope)
            said = (*said, *self._from_elsewhere(thread))
            before = self.threads.tree(thread).path(parent)
            turn = Turn(thread, len(before) + 1, question, understood, steps=said, today=today, search=search)
            turn = replace(turn, id=self._next_id(thread), parent=before[-1] if before else 0)
            yield from said
            yield from self._run(self._writing(services, llm), turn, cancel)

    def interrupted(self, thread: str) -> str:
        """The question of a turn that was cut off on this thread; empty if there is none."""
        cut_off = self._unfinished(thread)
        return cut_off.question if cut_off else ""

    def resume(
        self, thread: str, cancel: threading.Event | None = None, tool: str = ""
    ) -> Generator[TurnEvent, None, None]:
        """Finishes a turn that was cut off, or answers the last one if it was stopped: from its evidence if that was
        complete, else anew with `tool`. Yields the remaining steps and the turn; nothing if there is neither."""
        with naming_full_disk(WHAT_IS_KEPT), self._held(thread, cancel), self._over_library() as (services, _):
            if cut_off := self._unfinished(thread):
                yield from self._run(services, cut_off, cancel, resumed=True)
            elif stopped := self.stopped(thread):
                yield from self._run(services, _to_answer_anew(stopped, tool), cancel)

    def stopped(self, thread: str) -> Turn | None:
        """The last turn of a thread, if the person stopped it; else None."""
        last = self.turns(thread)[-1:]
        return last[0] if last and last[0].answer.outcome == "stopped" else None

    def turns(self, thread: str, leaf: int | None = None) -> list[Turn]:
        """The finished turns of a thread up to this one, by default that which it is at, oldest first."""
        tree, threads = self.threads.tree(thread), self.threads
        path = tree.path(leaf)
        end = path[-1] if path else 0
        sentences, records = threads.all_sentences(thread, end), threads.records(thread, end)
        turns = zip(map(TURN_JSON.validate_json, records), path, strict=True)
        liked = threads.liked(thread)
        placed = (replace(turn, id=id_, parent=tree.parents[id_], liked=liked.get(id_, 0)) for turn, id_ in turns)
        return [_whole(turn, sentences) for turn in placed]

    def take_out(self, thread: str) -> None:
        """Deletes a thread, with the rest of a turn that a crash left. `threads.bring_back` can undo that for a while,
        except the latter."""
        with self._held(thread, None):
            forget_checkpoints(self._data / DATABASE, thread)
            self.threads.take_out(thread)

    def close(self) -> None:
        self._connection.close()
        self.threads.close()
        self.services.library.store.close()
        self.services.encoder.close()
        self.services.fitted.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(
        self, services: Services, turn: Turn, cancel: threading.Event | None, *, resumed: bool = False
    ) -> Iterator[TurnEvent]:
        """Runs a turn, or continues it from its checkpoint (`resumed`). A checkpoint is only left if the process dies:
        a turn that failed or was cancelled is over."""
        store, config = services.library.store, config_for(turn.thread)
        deadline = None if store.whole else time.monotonic() + patience() * TURN
        context = TurnContext(services, cancel or threading.Event(), deadline=deadline)
        turn = turn.searched(language=self.settings.language.replace(AUTO, ""), held=held_language(services))
        state: TurnState | None = None if resumed else {"turn": turn}
        shown, finished = len(turn.steps), None
        try:
            modes: list[StreamMode] = ["updates", "custom"]
            with services.library.naming_altered():
                events = self._graph.stream(
                    state, config, context=context, stream_mode=modes, durability="sync", subgraphs=True
                )
                for _, mode, event in events:
                    if mode == "custom":  # what a node hands out while it runs
                        yield cast(Step | Piece | Doing, event)
                        continue
                    for change in cast(dict[str, TurnState], event).values():
                        finished = change["turn"]
                        yield from finished.steps[shown:]
                        shown = len(finished.steps)
        except Cancelled:
            reached = self._reached(turn.thread, turn.id) or TurnState(turn=turn)
            cut = replace(reached["turn"], answer=replace(reached["turn"].answer, outcome="stopped"))
            whole = join(cast(QuestionsState, {**reached, "turn": cut}))["turn"] if "waiting" in reached else cut
            finished = remember(whole, context)
        finally:
            forget_checkpoints(self._data / DATABASE, turn.thread)
        if finished is None:
            raise ClewError("the turn ended without an answer", "ask again")
        yield _whole(finished, self.threads.all_sentences(turn.thread, finished.id))

    def _unfinished(self, thread: str) -> Turn | None:
        """The turn that a crash cut off on this thread, as far as it got."""
        reached = self._reached(thread, self._next_id(thread))
        return reached["turn"] if reached else None

    def _reached(self, thread: str, turn: int) -> QuestionsState | TurnState | None:
        """The state that this turn has reached, if it is not over. A turn that was stored may have one too, if its
        process died then; one that an older version left, with another kind of search, cannot be gone on with."""
        state = self._graph.get_state(config_for(thread), subgraphs=True)
        within = next((task.state for task in state.tasks if isinstance(task.state, StateSnapshot)), state)
        values = {**state.values, **within.values} if state.next else {}
        its = values.get("turn")
        readable = its and its.id == turn and isinstance(its.search, TurnSearch)
        return cast(QuestionsState | TurnState, values) if readable else None

    def _next_id(self, thread: str) -> int:
        return self.threads.last_turn(thread) + 1

    def _writing(self, services: Services, llm: str) -> Services:
        """The services with these language models. Raises what `writers_for` raises."""
        settings = self.settings.model_copy(update={"llm": llm})
        return replace(services, writers=writers_for(settings)) if llm else services

    @contextmanager
    def _over_library(self) -> Iterator[tuple[Services, tuple[Step, ...]]]:
        """The services for one turn over the current state of the library, and a step that says so if it has
        changed."""
        with self._moving:
            said = () if self._over_it else self._moved_on()
            services = self.services
            self._over_it += 1
        try:
            yield services, said
        finally:
            with self._moving:
                self._over_it -= 1

    @contextmanager
    def library_now(self) -> Iterator[Services]:
        """The services over the library as it is now, for as long as the block runs."""
        with self._over_library() as (services, _):
            yield services

    def _from_elsewhere(self, thread: str) -> tuple[Step, ...]:
        """A step that says so if the thread was over another library before."""
        known = self.threads.get(thread)
        if known is None or not known.library or self.threads.library in ("", known.library):
            return ()
        here = self.services.library.path
        return (Step(LIBRARY, f"this conversation was over another library until now, and goes on over {here}"),)

    def _moved_on(self) -> tuple[Step, ...]:
        """Reopens the library if it was indexed meanwhile, and says so. If that fails, the old state is used, which is
        said too."""
        before = self.services.library
        try:
            if current_state(before) in ("", before.store.state):
                return ()
            library = open_library(before.path, self.services.encoder)
            with ExitStack() as undone:
                undone.callback(library.store.close)
                tools = tools_for(self.settings, library, self.services.encoder)
                self.services = replace(self.services, library=library, tools=tools)
                undone.pop_all()
        except ClewError as error:
            return (Step(LIBRARY, f"answers are from the library as it was when it was opened: {error}"),)
        before.store.close()
        self.threads.library = library.manifest.id
        now = number_of(library.manifest.documents, "document")
        return (Step(LIBRARY, f"the library was indexed since it was opened: it has {now} now"),)

    @contextmanager
    def _held(self, thread: str, cancel: threading.Event | None) -> Iterator[None]:
        """One turn at a time on a thread, whatever the process; waiting for another's can be cancelled."""
        folder = private_folder(self._data / "locks")
        name = hashlib.sha256(thread.encode()).hexdigest()[:2]  # 256 locks are enough for any number of threads
        lock = FileLock(folder / f"{name}.lock", mode=0o600, thread_local=False)
        while True:
            try:
                lock.acquire(timeout=0.2)
                break
            except Timeout:
                if cancel is not None and cancel.is_set():
                    raise Cancelled("the turn was cancelled before it began") from None
        try:
            yield
        finally:
            lock.release()


class Loading:
    """Loads the encoder on a daemon thread, so that a person who leaves before it is done need not wait; `then` is
    called there when it has ended."""

    def __init__(self, assistant: Assistant, then: Callable[[], None] = lambda: None) -> None:
        self._ended = threading.Event()
        threading.Thread(target=self._load, args=(assistant, then), name="loading the encoder", daemon=True).start()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def wait(self, cancel: threading.Event) -> None:
        """Wait until it has ended. Raises `Cancelled` once `cancel` is set."""
        while not self._ended.wait(POLL):
            if cancel.is_set():
                raise Cancelled("stopped waiting for the encoder")

    def _load(self, assistant: Assistant, then: Callable[[], None]) -> None:
        with suppress(Exception):  # the turn that needs the encoder raises it again, where the person sees it
            assistant.warm_up()
        self._ended.set()
        then()


def _to_answer_anew(turn: Turn, tool: str) -> Turn:
    """The turn as it was when its evidence was complete, else as it was at the beginning."""
    nodes = {step.node for step in turn.steps}
    if "answer" not in nodes or "multi_question" in nodes:
        begun = Turn(turn.thread, turn.turn, turn.question, today=turn.today, id=turn.id, parent=turn.parent)
        return begun.searched(tool=tool)
    return replace(
        turn,
        model="",
        degraded=tuple(one for one in turn.degraded if one.part != "answer"),
        ledger=tuple(line for line in turn.ledger if line.purpose != "answer"),
        steps=tuple(step for step in turn.steps if step.node not in AFTER_EVIDENCE),
        search=TurnSearch(round=1, found=(len(turn.passages),)),
    )


def _whole(turn: Turn, sentences: Sequence[Sentence]) -> Turn:
    """The turn with all earlier sentences, which are stored once for the thread and not with each turn."""
    before = unique([sentence for sentence in sentences if sentence.turn < turn.turn])
    return replace(turn, recalled=replace(turn.recalled, extracted=tuple(before)))
