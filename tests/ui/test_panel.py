"""What is set on the page while it runs, and a question that each method looks up."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.ui.web.guard import OWNER
from clew.ui.web.markup import Markup
from clew.ui.web.routes import NOT_YOUR_SETTINGS, application
from clew.ui.web.shelf import Shelf
from clew.ui.web.views import Conversations
from tests.conftest import EXAMPLES
from tests.ui.browsing import CHROMIUM, ask
from tests.ui.conftest import Run

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def assistant(clew: Run, tmp_path: Path) -> Iterator[Assistant]:
    assert clew("index", EXAMPLES / "documents" / "space", "--library", tmp_path / "l").exit_code == 0
    with Assistant.open(read_settings(library=tmp_path / "l", llm="none")) as opened:
        yield opened


def client(assistant: Assistant, owner: str = "") -> TestClient:
    settings = read_settings(library=assistant.services.library.path, llm="none")
    with closing(Shelf(settings, lambda: assistant.services.encoder)) as shelf:
        app = application(shelf, Markup(1, []), Conversations(assistant))

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, OWNER: owner} if scope["type"] == "http" else scope, receive, send)

    return TestClient(asked)


def test_passages_and_models_are_changed_while_it_runs_and_tested(assistant: Assistant, tmp_path: Path) -> None:
    page = client(assistant)
    assert str(assistant.services.library.path) in page.get("/settings").json()["html"]
    assert "In use" in page.post("/settings?passages=1").json()["html"]
    *_, turn = assistant.ask("t", "How far is the Moon?", tool="hybrid")
    assert isinstance(turn, Turn) and len(turn.passages) == 1
    assert page.post("/settings?passages=1&language=fr").json()["html"].count('value="fr" selected') == 1
    *_, turn = assistant.ask("t", "Who is the king of Atlantis?")
    assert isinstance(turn, Turn) and "Les documents" in turn.answer.text
    assert "does not speak" in page.post("/settings?passages=1&language=xx").json()["said"]
    assert "1 to 50" in page.post("/settings?passages=0").json()["said"]
    wrong = page.post("/settings?passages=2&answer=gpt").json()["said"]
    assert "not the name of a language model" in wrong and "--" not in wrong and assistant.settings.llm == "none"
    tested = page.post("/settings?passages=2&answer=gpt&test=1").json()["html"]
    assert "is not the name of a language model" in tested and "--llm" not in tested
    assert assistant.services.evidence == 1, "a test changes nothing"
    listed = page.get("/settings").json()["html"]
    assert f'value="{assistant.services.library.path}"' in listed and '<option value="none">' in listed
    assert "no library" in page.post("/settings?passages=2&library=/nowhere").json()["said"]
    other = shutil.copytree(str(assistant.services.library.path), tmp_path / "other")
    assert f'<option value="{other}">' in page.get("/settings").json()["html"]
    assert page.post(f"/settings?passages=2&library={other}").json()["opens"]
    ann = client(assistant, "ann")
    assert ann.post("/settings?passages=9").json()["said"].startswith(NOT_YOUR_SETTINGS)
    assert 'name="passages"' not in ann.get("/settings").json()["html"]


def test_a_question_is_looked_up_by_each_method(assistant: Assistant) -> None:
    *_, turn = assistant.ask("t", "How far is the Moon?")
    html = client(assistant).get("/comparison?thread=t&turn=1").json()["html"]
    sections = html.split("<section>")[1:]
    assert [one.split("<h3>")[1].split("<")[0] for one in sections] == list(assistant.services.tools)
    hybrid, walk = (next(one for one in sections if f"<h3>{name}<" in one) for name in ("hybrid", "walk"))
    assert cast(Turn, turn).answer.sources[0].title in hybrid and " ms" in hybrid and "also: " in hybrid
    assert "hybrid" in walk.split("also: ")[1] and all("384,400" in one.split("<ol>")[0] for one in (hybrid, walk))
    assert f'data-document="{cast(Turn, turn).answer.sources[0].id}"' in hybrid
    list(assistant.ask("t", "@tides.md How far is the Moon?"))
    within = client(assistant).get("/comparison?thread=t&turn=2").json()["html"]
    assert 'data-document="tides.md#' in within and 'data-document="moon' not in within
    assert "no such" in client(assistant, "ann").get("/comparison?thread=t&turn=1").json()["said"]


def test_what_is_said_of_an_answer_is_kept_with_it_and_exported(assistant: Assistant, clew: Run) -> None:
    for question in ("How far is the Moon?", "What is a rover?"):
        list(assistant.ask("t", question))
    talk = Conversations(assistant)
    for command, liked in (("/good #1", [1, 0]), ("/bad", [1, -1]), ("/good #2", [1, 1]), ("/good #2", [1, 0])):
        *_, view = talk.say("t", command)
        assert view.said and not view.said.error and [turn.liked for turn in view.turns] == liked
    *_, view = talk.say("t", "/bad #9")
    assert view.said and "no turn #9" in view.said.error
    written = json.loads(clew("export", "--format", "json", "t").stdout)
    assert [turn["liked"] for turn in written["turns"]] == ["good", None]
    assert "the reader said: good" in clew("export", "t").stdout


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_panel_sets_the_method_and_the_look(page: "Page") -> None:
    page.click("#side .gear")
    page.select_option("#set-tool", "dense")
    page.wait_for_selector("#now .said >> text=searching with dense")
    page.select_option("#set-look", "dark")
    page.wait_for_selector("body.dark")
    page.keyboard.press("Escape")
    ask(page, "How far is the Moon?")
    page.click("#turn-1 .thumb.good")
    page.wait_for_selector("#turn-1 .thumb.good[aria-pressed=true]")
    page.reload()
    page.wait_for_selector("body.dark #turn-1 .thumb.good[aria-pressed=true]")
    assert page.inner_text("#method") == "dense", "of the conversation, beside the box"
