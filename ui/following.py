"""A library that follows its folders: what changes in them is indexed as it changes (`--watch`)."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.agent.models import named_alone, writers_for
from clew.agent.parameters import of_index
from clew.agent.settings import Settings, indexed_here
from clew.memory.errors import Cancelled, ClewError, LibraryBusy, required
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.cluster.publishing import worked_on
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport, index, recorded_roots
from clew.memory.knowledge.library import recorded_at
from clew.ui.plain import one_line

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

QUIET, LONGEST, LOOK = 500, 10_000, 1_000
"""Milliseconds: without a change before a run; of changes that wait for one at most; between two looks at whether it is
over, or a folder has come or gone."""

AGAIN = 2.0
"""Seconds before a library that another process indexes is tried again."""

NAMED = 3
"""Changed files that a line names."""


def changes(roots: Callable[[], Sequence[Path]], library: Place, stop: threading.Event) -> Iterator[list[str]]:
    """The names of the files below `roots`, which are asked for at each look, that have changed, once they are quiet;
    the first, without a name, when it begins to look, so that nothing before is missed. Raises `ClewError` where the
    system does not let it look."""
    import watchfiles

    own = os.path.realpath(library) if isinstance(library, Path) else None
    before: dict[Path, int] = {}

    def is_read(_: object, path: str) -> bool:
        inside = [Path(path).relative_to(folder) for folder in before if Path(path).is_relative_to(folder)]
        hidden = all(any(part.startswith(".") for part in one.parts) for one in inside)
        return not hidden and not (own and Path(path).is_relative_to(own))

    waits = {"step": QUIET, "debounce": LONGEST, "rust_timeout": LOOK, "yield_on_timeout": True}
    try:
        while not stop.is_set():
            before, first = _folders(roots()), True
            for batch in watchfiles.watch(*before, watch_filter=is_read, stop_event=stop, **waits):  # type: ignore[arg-type]
                if batch or first:
                    yield sorted({Path(path).name for _, path in batch})
                first = False
                if _folders(roots()) != before:
                    break
    except OSError as error:
        raise ClewError(f"the folders cannot be followed: {error}", "clew index, each time") from error


def _folders(roots: Sequence[Path]) -> dict[Path, int]:
    """That are there, with their numbers on the disk; of a file the one that it is in, as editors put another one in
    its place."""
    real = (Path(os.path.realpath(root)) for root in roots)
    folders = (root if root.is_dir() else root.parent for root in real)
    return {folder: folder.stat().st_ino for folder in folders if folder.is_dir()}


def runs(
    roots: Callable[[], Sequence[Path]],
    library: Place,
    run: Callable[[], IndexReport],
    stop: threading.Event,
    complain: Callable[[ClewError], None],
) -> Iterator[tuple[IndexReport, list[str]]]:
    """What each run did that did something, and the names of the files that changed before it. What a run raises is
    complained of once, and the next change tries again; so does another process that indexes, when it is done."""
    failed, said = None, ""
    for names in changes(roots, library, stop):
        while not stop.is_set():
            try:
                report = run()
            except LibraryBusy:
                stop.wait(AGAIN)
                continue
            except ClewError as error:
                if said != str(error):
                    complain(error)
                said = str(error)
                break
            if report.new or report.changed or report.removed or failed not in (None, report.failed):
                yield report, names
            failed, said = report.failed, ""
            break


def line_of(report: IndexReport, names: Sequence[str]) -> str:
    """As `1 new, 2 changed (rent.md)`."""
    counts = (part for part in report.line.split(", ") if not part.startswith("0 "))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    named = f" ({', '.join(map(one_line, names[:NAMED]))}{more})" if names else ""
    return f"{', '.join(counts)}{named}"


@contextmanager
def following(assistant: "Assistant", settings: Settings, say: Callable[[str], None]) -> Iterator[None]:
    """As long as the block runs, a thread indexes what changes in the folders that the library was made from; `say`
    gets a line, on that thread. Raises `NotSetUp` without the extra, `BadInput` where a folder is not the user's."""
    required("watchfiles", "--watch", "watch")
    manifest = recorded_at(settings.library)
    roots, notes = recorded_roots(manifest.roots, settings.library, indexed_here(manifest.id))
    for note in notes:
        say(note)
    stop = threading.Event()

    def known() -> Sequence[Path]:
        return _known(settings, roots) if isinstance(settings.library, Path) else roots  # a cluster is not asked often

    def follow() -> None:
        run = partial(_run, assistant, settings, roots, stop)
        try:
            for report, names in runs(known, settings.library, run, stop, lambda error: say(str(error))):
                with assistant.library_now():  # which lets go of the state that was replaced
                    say(f"the library: {line_of(report, names)}")
        except ClewError as error:
            if not stop.is_set():
                say(str(error))

    thread = threading.Thread(target=follow, name="following", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _known(settings: Settings, begun: Sequence[Path]) -> list[Path]:
    """What the library is made from by now: of `begun` what was not taken out, and what the person has added since."""
    manifest = recorded_at(settings.library)
    mine, there = indexed_here(manifest.id), [*map(Path, manifest.roots)]
    return [one for one in there if one in begun or (str(one) in (mine or ()) and os.path.exists(one))]  # noqa: PTH110


def index_parameters(settings: Settings, **given: Any) -> Parameters:
    """As the settings have them, with the language models that are named for an index."""
    writers = writers_for(named_alone(settings, "summarise", "extract"))
    model = Model(writers.extract, settings.cache / "extracted.sqlite") if writers.extract else None
    return Parameters(model=model, summariser=writers.summarise, values=of_index(settings.given), **given)


def _run(assistant: "Assistant", settings: Settings, roots: Sequence[Path], stop: threading.Event) -> IndexReport:
    """Raises `Cancelled` where it is stopped, which loses nothing."""
    encoder, parameters = assistant.services.encoder, index_parameters(settings)
    work = partial(index, _known(settings, roots), encoder=encoder, parameters=parameters)
    for event in worked_on(settings.library, settings.cache, work):
        if isinstance(event, IndexReport):
            return event
        if stop.is_set():
            break
    raise Cancelled("the library is no longer followed")
