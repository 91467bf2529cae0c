"""The walk of a turn as text and as a drawing."""

import re
from dataclasses import replace
from itertools import pairwise

from clew.memory.datatypes import Edge, Subgraph
from clew.ui.rendering import walk_lines
from clew.ui.transcript import turn_object
from clew.ui.web.markup import IDLE, Markup, draw
from clew.ui.web.views import View
from tests.agent.walks import WALK as DEEP
from tests.ui.fakes import WALK, make_turn
from tests.ui.web_fake import ATTACK

TURN = make_turn("t", 1, "What does the walk say?")


def drawn(**changed: object) -> str:
    return Markup(5, []).past(View("t", (replace(TURN, **changed),)))  # type: ignore[arg-type]


def wide(landings: int) -> Subgraph:
    """Nothing is walked to; the later a landing, the better."""
    names = tuple(str(n) for n in range(landings))
    scores = tuple(n / landings for n in range(landings))
    return Subgraph(names, (), names, scores, names, landings)


def test_the_tree_shows_order_citations_relations_and_partitions() -> None:
    assert [line.plain for line in walk_lines(TURN)] == [
        "  1 The distance of the Moon [1] 0.60, moon, far",
        "    ├─ -[title link]-> 3 Tides 0.28",
        "    └─ <-[orbit]- 4 Monkeys in space [2] 0.10, into ape, space",
        "  2 Laika 0.02, dog, space",
    ]
    assert walk_lines(replace(TURN, walk=None)) == []


def test_a_tree_of_two_steps_has_a_stem_beside_what_goes_on() -> None:
    assert [line.plain for line in walk_lines(replace(TURN, walk=DEEP))] == [
        "  1 Metropolis 0.50, films",
        "    ├─ -[title link]-> 3 Fritz Lang 0.25, into people",
        "    │  └─ -[next]-> 4 Fritz Lang 0.09",
        "    └─ <-[Ufa]- 5 Thea von Harbou 0.15, into people",
        "  2 Laika 0.01, animals",
    ]


def test_a_step_after_going_back_is_told_in_the_tree_and_dashed_in_the_drawing() -> None:
    turned = replace(DEEP, back=("harbou",))
    assert [line.plain for line in walk_lines(replace(TURN, walk=turned))][3] == (
        "    └─ <-[Ufa]- 5 Thea von Harbou 0.15, into people, after going back"
    )
    picture = draw(turned, TURN.answer)
    assert [line.back for line in picture.lines] == [False, False, True]
    assert picture.lines[2].tooltip == "Ufa from Metropolis, after going back"
    html = drawn(walk=turned)
    assert html.count('class="way back"') == 1 and html.count('class="way"') == 2 and "; dashed where" in html
    assert "5. Thea von Harbou: Ufa from Metropolis, after going back, 0.15" in html
    assert "; dashed where" not in drawn(walk=DEEP)


def test_nothing_of_a_title_steers_the_terminal() -> None:
    steering = replace(
        WALK, titles=("\x1b[31mred\x07", *WALK.titles[1:]), edges=(Edge("moon-1", "tides-1", "a\nb"),) * 2
    )
    text = "\n".join(line.plain for line in walk_lines(replace(TURN, walk=replace(steering, edges=steering.edges))))
    assert "\x1b" not in text and "\x07" not in text and "1 red [1]" in text and "-[a b]->" in text


def test_a_drawing_goes_from_left_to_right_and_nothing_lies_on_another() -> None:
    picture = draw(DEEP, TURN.answer)
    boxes = {box.order: box for box in picture.boxes}
    width, height = picture.box
    assert boxes[1].x == boxes[2].x < boxes[3].x == boxes[5].x < boxes[4].x
    assert boxes[1].y == (boxes[3].y + boxes[5].y) / 2
    assert boxes[4].x + width <= picture.width <= 602 and max(b.y + height for b in picture.boxes) <= picture.height
    columns = [sorted(box.y for box in picture.boxes if box.x == x) for x in {box.x for box in picture.boxes}]
    assert all(upper + height < lower for ys in columns for upper, lower in pairwise(ys))
    assert len(picture.lines) == 3 and picture.lines[0].tooltip == "title link from Metropolis"
    assert boxes[1].strength == 1.0 > boxes[3].strength > boxes[2].strength


def test_what_the_answer_cites_leads_to_its_source() -> None:
    picture = draw(WALK, TURN.answer)
    assert {box.order: box.source for box in picture.boxes} == {1: 1, 2: 0, 3: 0, 4: 2}
    html = drawn()
    assert re.findall(r'<a class="node cited" href="#source-1-(\d)" data-turn="1" data-source="\1">', html) == [
        "1",
        "2",
    ]
    assert html.count('<g class="node">') == 2 and html.count('class="way"') == 2
    assert "<title>title link from The distance of the Moon</title>" in html


def test_the_drawing_can_be_read_without_being_seen() -> None:
    label = re.search(r'role="group" aria-label="([^"]*)"', drawn())
    assert label is not None
    assert "1. The distance of the Moon: landed on, 0.60, in moon, far; " in label[1]
    assert "3. Tides: title link from The distance of the Moon, 0.28" in label[1]


def test_of_many_landings_the_best_are_drawn_and_the_rest_counted() -> None:
    picture = draw(wide(30), TURN.answer)
    assert [box.label for box in picture.boxes] == [str(n) for n in range(30 - IDLE, 30)]
    assert picture.left_out == 30 - IDLE
    assert "24 more landings not drawn" in drawn(walk=wide(30))


def test_titles_and_relations_are_escaped() -> None:
    evil = f'<b>&"{ATTACK}'
    walk = Subgraph(("moon-1", "x"), (Edge("moon-1", "x", evil),), (evil, evil), (0.5, 0.5), (evil, evil), 1)
    html = drawn(walk=walk)
    assert "<b>&" not in html and "<script" not in html and "&lt;b&gt;&amp;&#34;" in html


def test_a_turn_without_a_walk_has_no_figure() -> None:
    assert "<figure" not in drawn(walk=None) and "<figure" not in drawn(walk=Subgraph())


def test_the_walk_is_in_the_json_that_interfaces_print() -> None:
    said = turn_object(TURN)
    assert said["walk"]["edges"][1] == {"source": "apes-1", "target": "moon-1", "relation": "orbit"}
    assert said["paths"] == list(TURN.paths)
