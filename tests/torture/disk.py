"""A disk that is full, or fails, from one of 200 file operations on, or at it alone: of a first run of `clew index`, of
a second one and of a turn.

The run says so in a line, with exit code 1, and nothing is between or lost; or it did what it was to do, where what
failed was no more than a cache.
"""

import errno
import re
from functools import partial

from tests.torture import Points, Run
from tests.torture.layer import Accident, Mode, compiled
from tests.torture.scene import PLACES, Kind, Scene, at_once

FAILING: tuple[Mode, ...] = ("fail once", "fail from")
ERRORS = {"full": errno.ENOSPC, "failing": errno.EIO}

SAID = re.compile(
    r"^clew: .*(the disk is full|No space left on device|cannot be opened|Input/output error)", re.MULTILINE
)


def points(run: Run) -> Points:
    compiled()
    scene = Scene(run.folder / "scene")
    tried = []
    for kind in scene.kinds():
        with scene.copied(kind.before) as folder:
            end = kind.command(folder, Accident()).counts["operations"]
        chance = run.chance(f"disk, {kind.name}")
        for _ in range(run.some(PLACES[kind.name])):
            how, at = chance.choice(sorted(ERRORS)), 1 + chance.randrange(end)
            mode = chance.choice(FAILING)
            accident = Accident(mode, at, error=ERRORS[how])
            said = f"{kind.name}, {how}, {mode} {at} of {end}"
            tried.append((said, partial(_failed, scene, kind, accident)))
    yield from at_once(tried)


def _failed(scene: Scene, kind: Kind, accident: Accident) -> str:
    with scene.copied(kind.before) as folder:
        ended = kind.command(folder, accident)
        if ended.code not in (0, 1) or "Traceback" in ended.err or "internal error" in ended.err:
            return f"it ended with {ended.code}: {ended.err}"
        if ended.code and not (SAID.search(ended.err) and (accident.error == errno.EIO or "\ntry: " in ended.err)):
            return f"it does not say what is wrong, and what to do: {ended.err}"
        if not ended.code and not ended.out:
            return "it says that it did what it was to do, and nothing of what"
        return kind.wrong(folder, ended.out)
