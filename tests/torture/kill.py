"""200 places of a run of `clew index` and 100 of a turn at which the process is killed, by step and not by clock.

The steps of a stage are the calls of its code, those of writing and of switching the file operations below Python, up
to the hashes of a generation and from there on; of these, half die with half of it done.
"""

from functools import partial

from tests.torture import Points, Run
from tests.torture.layer import STAGES, Accident, compiled, operations
from tests.torture.scene import Scene, at_once

INDEX = {"reading": 28, "extracting": 28, "encoding": 28, "communities": 28, "partitions": 28, "writing": 30}
SWITCHING, TURN_STEPS, TURN_OPERATIONS = 30, 50, 50
BEHIND = 0.97
"""How far into a stage: the number of its steps is not always the same."""


def points(run: Run) -> Points:
    compiled()
    scene, chance, tried = Scene(run.folder / "scene"), run.chance("kill"), []
    counts, writing, switching = _counted(scene, run)
    for stage, count in {**INDEX, "switching": SWITCHING}.items():
        for _ in range(run.some(count)):
            if stage in STAGES:
                accident = Accident("kill", 1 + chance.randrange(int(counts[stage] * BEHIND)), stage)
            else:
                place = chance.randrange(writing) if stage == "writing" else chance.randrange(writing, switching)
                accident = Accident(chance.choice(("kill", "torn kill")), 1 + place)
            tried.append((f"index, {stage}, {accident.at}", partial(_index, scene, accident)))
    with scene.copied(scene.before) as folder:
        steps = scene.told(folder, Accident(stage="none")).counts
    for number in range(run.some(TURN_STEPS) + run.some(TURN_OPERATIONS)):
        if number < run.some(TURN_STEPS):
            accident = Accident("kill", 1 + chance.randrange(int(steps["turn"] * BEHIND)), "turn")
        else:
            accident = Accident(chance.choice(("kill", "torn kill")), 1 + chance.randrange(steps["operations"]))
        tried.append((f"turn, {accident.stage or 'operation'}, {accident.at}", partial(_turn, scene, accident)))
    yield from at_once(tried)


def _counted(scene: Scene, run: Run) -> tuple[dict[str, int], int, int]:
    """Steps by stage, operations until the hashes are written, and all operations."""
    with scene.copied(scene.before) as folder:
        counts = dict(scene.indexed(folder, Accident(stage="none")).counts)
    with scene.copied(scene.before) as folder:
        record = run.folder / "record"
        scene.indexed(folder, Accident(), record)
        kinds = [one for one in operations(record) if one.kind != "S"]
    hashed = next(
        number for number, one in enumerate(kinds) if one.kind == "R" and one.path.endswith("hashes.json.new")
    )
    return counts, hashed, len(kinds)


def _index(scene: Scene, accident: Accident) -> str:
    with scene.copied(scene.before) as folder:
        ended = scene.indexed(folder, accident)
        if not ended.killed:
            return f"it was not killed: {ended.code} {ended.err}"
        return scene.wrong_library(folder, ended.out)


def _turn(scene: Scene, accident: Accident) -> str:
    with scene.copied(scene.before) as folder:
        ended = scene.told(folder, accident)
        if not ended.killed:
            return f"it was not killed: {ended.code} {ended.err}"
        return scene.wrong_conversation(folder, ended.out)
