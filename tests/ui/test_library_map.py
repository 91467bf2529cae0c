"""The map: what is on it and where, and what a person does with it in a browser."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from clew.agent.settings import read_settings
from clew.agent.state import Answer, Turn
from clew.memory.datatypes import Edge, Subgraph
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.text import number_of
from clew.tools.base import passages_of
from clew.ui.web import library_map
from clew.ui.web.library_map import APART, LibraryMap, map_of, placed
from clew.ui.web.markup import Markup
from clew.ui.web.shelf import make_empty
from tests.ui.browsing import CHROMIUM, Address, ask, free_port, opened, serving

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def walk_of(library: Library) -> Subgraph:
    """From `Laika` to `Baikonur`; `Metropolis` was landed on too."""
    chunks = {chunk.title: chunk for chunk in library.store.sample(1000)}
    laika, baikonur, film = (chunks[title] for title in ("Laika", "Baikonur", "Metropolis"))
    return Subgraph(
        nodes=(laika.id, film.id, baikonur.id),
        edges=(Edge(laika.id, baikonur.id, "title link"),),
        titles=("Laika", "Metropolis", "Baikonur"),
        scores=(0.5, 0.1, 0.4),
        partitions=("", "", ""),
        landings=2,
    )


def ids_of(made: LibraryMap) -> list[str]:
    return [dot[0] for dot in made.dots]


def test_every_passage_lies_in_the_disc_of_its_partition_and_always_at_the_same_place(examples: Library) -> None:
    made = map_of(examples.store, [])
    assert made.total == examples.manifest.chunks == len(set(ids_of(made)))
    discs = {disc.number: disc for disc in made.discs}
    assert sorted(disc.name for disc in made.discs) == sorted(examples.store.part().partitioning.names)
    for disc in made.discs:
        assert len([dot for dot in made.dots if dot[2] == disc.number]) == disc.size
        assert disc.radius == round(APART * disc.size**0.5, 1)
    pairs = [(one, other) for one in made.discs for other in made.discs if one.number < other.number]
    assert all(np.hypot(a.x - b.x, a.y - b.y) > a.radius + b.radius for a, b in pairs)
    assert all(made.dots[one][2] == made.dots[other][2] for one, other in made.lines) and made.lines
    assert {n for one, other, _ in made.bridges for n in (one, other)} <= discs.keys() and made.bridges
    assert not any(disc.lit for disc in made.discs) and not made.walk
    placed.cache_clear()
    assert map_of(examples.store, []) == made


def test_the_passages_of_a_table_are_told_apart_by_their_rows(tmp_path: Path, encoder: CachedEncoder) -> None:
    rows = "".join(f"F{n:04},2025-03-15,Ola,{n % 40}\n" for n in range(200))
    (tmp_path / "firings.csv").write_text(f"Firing,Date,Potter,Pieces\n{rows}")
    list(index([tmp_path / "firings.csv"], tmp_path / "library", encoder))
    with open_library(tmp_path / "library", encoder) as library:
        titles = [title for _, title, _ in map_of(library.store, []).dots]
    assert len(titles) == len({*titles}) > 5 and all(title.startswith("firings · F") for title in titles)


def test_what_a_conversation_has_touched_is_lit_and_a_walk_that_is_gone_does_no_harm(examples: Library) -> None:
    walk = walk_of(examples)
    (source,) = passages_of(examples.store.chunks([ids_of(map_of(examples.store, []))[-1]]), "hybrid")
    turns = [Turn("t", 1, "?", "?", Answer("answered", (), (source,))), Turn("t", 2, "?", "?", walk=walk)]
    made = map_of(examples.store, turns)
    of = {dot: number for dot, _, number in made.dots}
    touched = {of[source.id], of[walk.nodes[0]], of[walk.nodes[2]]}
    assert {disc.number for disc in made.discs if disc.lit} == touched, "where it only landed is not lit"
    assert [disc.lit for disc in made.discs] == sorted((disc.lit for disc in made.discs), reverse=True)
    assert [(made.dots[dot][1].partition(" · ")[0], before) for dot, before in made.walk] == [
        ("Laika", -1),
        ("Metropolis", -1),
        ("Baikonur", 0),
    ]
    gone = replace(walk, nodes=("gone", *walk.nodes[1:]), edges=(Edge("gone", walk.nodes[2], "title link"),))
    assert next(dot for dot, *_ in map_of(examples.store, [replace(turns[1], walk=gone)]).walk) == -1
    assert map_of(examples.store, turns, 1).walk == [], "the first was no walk"


def test_of_too_many_all_partitions_show_as_many(examples: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = map_of(examples.store, [])
    walk = walk_of(examples)
    monkeypatch.setattr(library_map, "MOST", 20)
    monkeypatch.setattr(library_map, "PARTITIONS", 4)
    monkeypatch.setattr(library_map, "LINES", 3)
    made = map_of(examples.store, [Turn("t", 1, "?", "?", walk=walk)])
    assert len(made.dots) == 20 and made.total == whole.total and len(made.lines) == 3
    assert {len([dot for dot in made.dots if dot[2] == one.number]) for one in made.discs} == {5}
    assert all(dot >= 0 for dot, *_ in made.walk), "what was walked is there"
    html = Markup(1, []).render("map", map=made)
    assert f"20 of {whole.total} passages, in 4 partitions; lit" in html
    assert "From “Laika” it went to “Baikonur”." in html


def test_an_empty_library_has_an_empty_map(tmp_path: Path, home: Path, encoder: CachedEncoder) -> None:
    settings = read_settings(library=tmp_path / "library")
    make_empty(settings, encoder)
    with open_library(tmp_path / "library", encoder) as library:
        made = map_of(library.store, [])
    assert (made.total, made.discs, made.dots) == (0, [], [])
    assert "There are no documents yet" in Markup(0, []).render("map", map=made)


# In a browser


@pytest.fixture(scope="module")
def library(examples_path: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    port = free_port()
    here = {"CLEW_HOME": str(tmp_path_factory.mktemp("home")), "CLEW_CACHE": str(cache), "CLEW_LLM": "none"}
    command = ("-m", "clew.ui.cli", "ui", "--library", examples_path, "--port", port)
    with serving(*command, port=port, environment=here) as address:
        yield address


PLACE = """(name) => {
    const box = document.querySelector('.picture canvas').getBoundingClientRect()
    const cy = document.querySelector('.picture')._cyreg.cy
    const { x, y } = cy.nodes().filter((one) => one.data('name') === name)[0].renderedPosition()
    return { x: box.x + x, y: box.y + y }
}"""


OVERLAPS = """() => {
    const cy = document.querySelector('.picture')._cyreg.cy
    const named = cy.$('.disc, .walked').filter((one) => +one.style('text-background-opacity'))
    const label = (one) => one.boundingBox({ includeNodes: false, includeOverlays: false })
    const body = (one) => one.boundingBox({ includeLabels: false, includeOverlays: false })
    const within = (one, other) => Math.min(one.x2 - other.x1, other.x2 - one.x1, one.y2 - other.y1, other.y2 - one.y1)
    const dots = (one) => one.hasClass('walked') ? cy.$('.walked') : cy.$('.dot')
    const covers = (one) => [...named.not(one).map(label), ...dots(one).not(one).map(body)]
        .some((other) => within(label(one), other) > 2.5)  // Cytoscape takes names for so much larger
    return [named.length, named.filter(covers).map((one) => one.data('name'))]
}"""
"""How many names of partitions and of the walk are seen, and those that lie on another or on a dot."""

OUTSIDE = """() => {
    const cy = document.querySelector('.picture')._cyreg.cy
    return cy.$('.dot').filter((dot) => {
        const disc = cy.$id(`p${dot.data('number')}`), [one, other] = [dot.position(), disc.position()]
        return Math.hypot(one.x - other.x, one.y - other.y) > disc.data('wide') / 2
    }).map((dot) => dot.data('name'))
}"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_map_in_a_browser(context: "BrowserContext", library: Address) -> None:
    page = opened(context, library)
    page.set_default_timeout(60_000)
    page.fill("#question textarea", "/tool walk")
    page.keyboard.press("Enter")
    page.wait_for_selector("#now .said")
    ask(page, "How is Fritz Lang connected with rockets?")
    page.click("#side [data-map]")
    page.wait_for_selector("#map canvas")
    assert "71 of 71 passages, in 5 partitions; lit" in page.locator("#map header").inner_text()
    told = page.locator("#map .told").inner_text()
    assert told.startswith("From “Fritz Lang” it went")
    assert page.locator("#map .partitions .lit").count() >= 1
    outside = page.evaluate(OUTSIDE)
    assert outside == [], "each dot lies in the disc of its partition"
    seen, overlapping = page.evaluate(OVERLAPS)
    assert seen >= 5 and overlapping == []
    walked = page.evaluate("document.querySelector('.picture')._cyreg.cy.$('.walked').map((one) => one.data('told'))")
    assert any(name.endswith(" Metropolis") for name in walked)

    first = page.locator("#map [data-partition]").last
    first.click()
    assert first.get_attribute("aria-expanded") == "true"
    items = page.locator("#map .partitions :not(.walked-on) > li button")
    assert number_of(items.count(), "x").startswith(first.locator(".dim").inner_text())
    page.wait_for_timeout(400)  # it goes there
    page.wait_for_function("() => !document.querySelector('.picture')._cyreg.cy.animated()")
    at = page.evaluate(PLACE, "First Man")
    page.mouse.move(at["x"], at["y"])
    page.wait_for_selector("#map .pointed >> text=First Man")
    page.mouse.click(at["x"], at["y"])
    page.wait_for_selector("#document[open] h2 >> text=First Man")
    page.wait_for_selector("#document mark.current")
    page.keyboard.press("Escape")
    page.wait_for_selector("#document", state="hidden")
    assert page.locator("#map").is_visible()
    items.first.click()
    page.wait_for_selector("#document[open]")
    page.keyboard.press("Escape")

    for _ in range(40):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#map')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#map", state="hidden")
    page.locator("#past .steps > summary").click()
    page.click("#past .walk [data-map]")
    page.wait_for_selector("#map .told")
