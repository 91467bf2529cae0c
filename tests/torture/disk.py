"""A disk that is full, or fails, from one of 200 file operations on, or at it alone: of a first run of `clew index`, of
a second one and of a turn.

The run says so in a line, with exit code 1, and nothing is between or lost; or it did what it was to do, where what
failed was no more than a cache.
"""

import errno
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.torture import Points, Run
from tests.torture.layer import Accident, Ended, Mode, compiled
from tests.torture.scene import Scene, at_once

FIRST, SECOND, TURN = 40, 100, 60
FAILING: tuple[Mode, ...] = ("fail once", "fail from")
ERRORS = {"full": errno.ENOSPC, "failing": errno.EIO}

SAID = re.compile(r"^clew: .*(the disk is full|No space left on device|Input/output error)", re.MULTILINE)


def points(run: Run) -> Points:
    compiled()
    scene = Scene(run.folder / "scene")
    tried = []
    for name, count, before, command, wrong in (
        ("first run", FIRST, None, scene.indexed, partial(scene.wrong_library, there=False)),
        ("second run", SECOND, scene.before, scene.indexed, scene.wrong_library),
        ("turn", TURN, scene.before, scene.told, scene.wrong_conversation),
    ):
        with scene.copied(before) as folder:
            end = command(folder, Accident()).counts["operations"]
        chance = run.chance(f"disk, {name}")
        for _ in range(run.some(count)):
            how, at = chance.choice(sorted(ERRORS)), 1 + chance.randrange(end)
            mode = chance.choice(FAILING)
            accident = Accident(mode, at, error=ERRORS[how])
            said = f"{name}, {how}, {mode} {at} of {end}"
            tried.append((said, partial(_failed, scene, before, command, wrong, accident)))
    yield from at_once(tried)


def _failed(
    scene: Scene,
    before: Path | None,
    command: Callable[[Path, Accident], Ended],
    wrong: Callable[[Path, str], str],
    accident: Accident,
) -> str:
    with scene.copied(before) as folder:
        ended = command(folder, accident)
        if ended.code not in (0, 1) or "Traceback" in ended.err or "internal error" in ended.err:
            return f"it ended with {ended.code}: {ended.err}"
        if ended.code and not (SAID.search(ended.err) and (accident.error == errno.EIO or "\ntry: " in ended.err)):
            return f"it does not say what is wrong, and what to do: {ended.err}"
        if not ended.code and not ended.out:
            return "it says that it did what it was to do, and nothing of what"
        return wrong(folder, ended.out)
