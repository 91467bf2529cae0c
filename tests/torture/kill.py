"""200 places of a run of `clew index` and 100 of a turn at which the process is killed, by step and not by clock.

The steps of a stage are the calls of its code, those of writing and of switching the file operations below Python, up
to the hashes of a generation and from there on; of these, half die with half of it done.
"""

from dataclasses import replace
from functools import partial

from tests.torture import Points, Run
from tests.torture.layer import STAGES, Accident, compiled, operations
from tests.torture.scene import Kind, Scene, at_once

INDEX = {"reading": 28, "extracting": 28, "encoding": 28, "communities": 28, "partitions": 28, "writing": 30}
SWITCHING, TURN_STEPS, TURN_OPERATIONS, PARTITION_OPERATIONS = 30, 50, 50, 20


def points(run: Run) -> Points:
    compiled()
    scene, chance, tried = Scene(run.folder / "scene"), run.chance("kill"), []
    counts, writing, switching = _counted(scene, run)
    kinds = {kind.name: kind for kind in scene.kinds()}
    for stage, count in {**INDEX, "switching": SWITCHING}.items():
        for _ in range(run.some(count)):
            if stage in STAGES:
                accident = Accident("kill", 1 + chance.randrange(counts[stage]), stage)
            else:
                place = chance.randrange(writing) if stage == "writing" else chance.randrange(writing, switching)
                accident = Accident(chance.choice(("kill", "torn kill")), 1 + place)
            tried.append((f"index, {stage}, {accident.at}", partial(_killed, scene, kinds["second run"], accident)))
    with scene.copied(scene.before) as folder:
        steps = scene.told(folder, Accident(stage="none")).counts
    for number in range(run.some(TURN_STEPS) + run.some(TURN_OPERATIONS)):
        if number < run.some(TURN_STEPS):
            accident = Accident("kill", 1 + chance.randrange(steps["turn"]), "turn")
        else:
            accident = Accident(chance.choice(("kill", "torn kill")), 1 + chance.randrange(steps["operations"]))
        said = f"turn, {accident.stage or 'operation'}, {accident.at}"
        tried.append((said, partial(_killed, scene, kinds["turn"], accident)))
    for kind in (kinds["partitions"], kinds["partitions anew"], kinds["aligner"]):
        with scene.copied(kind.before) as folder:
            end = kind.command(folder, Accident()).counts["operations"]
        for _ in range(run.some(PARTITION_OPERATIONS)):
            accident = Accident(chance.choice(("kill", "torn kill")), 1 + chance.randrange(end))
            tried.append((f"{kind.name}, {accident.at} of {end}", partial(_killed, scene, kind, accident)))
    yield from at_once(tried)


def _counted(scene: Scene, run: Run) -> tuple[dict[str, int], int, int]:
    """Steps by stage, operations until the hashes are written, and all operations."""
    with scene.copied(scene.before) as folder:
        counts = dict(scene.indexed(folder, Accident(stage="none")).counts)
    with scene.copied(scene.before) as folder:
        record = run.folder / "record"
        scene.indexed(folder, Accident(), record)
        done = [one for one in operations(record) if one.kind != "S"]
    hashed = next(at for at, one in enumerate(done) if one.kind == "R" and one.path.endswith("hashes.json.new"))
    return counts, hashed, len(done)


def _killed(scene: Scene, kind: Kind, accident: Accident) -> str:
    """Sooner where it was over before: the number of steps depends on how two processes take turns."""
    while accident.at:
        with scene.copied(kind.before) as folder:
            ended = kind.command(folder, accident)
            if ended.killed:
                return kind.wrong(folder, ended.out)
            if ended.code:
                return f"it ended with {ended.code}: {ended.err}"
        accident = replace(accident, at=accident.at * 3 // 4)
    return "it was not killed"
