"""The page as a person sees it: a real server in a process of its own, in Chromium. No request leaves the machine."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ui.browsing import CHROMIUM, Address, ask, fake_page, free_port, opened, serving
from tests.ui.fakes import CUT_OFF, LOADED, MODEL, fill_threads

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def test_a_question_its_steps_its_answer_and_a_source(page: "Page") -> None:
    ask(page, "How far is the slow Moon?", wait=False)
    page.wait_for_selector("#now details.steps[open] >> text=recall: How far")
    page.wait_for_selector("#now .status >> text=Working")
    page.click("#stop")
    page.wait_for_selector(".notice.stopped >> text=Go on")
    page.reload()
    page.wait_for_selector("#past .question >> text=How far is the slow Moon?")
    page.click("#new")
    page.wait_for_selector(".welcome")
    ask(page, "How far is the Moon?")
    steps = page.locator("#past details.steps")
    assert steps.get_attribute("open") is None
    steps.locator("> summary").click()
    steps.locator("li summary").first.click()
    assert "question x 1.00" in steps.inner_text()

    source = page.locator("#source-1-2")
    assert source.is_visible() and "lit" not in (source.get_attribute("class") or "")
    page.click("a.cite >> text=[2]")
    page.wait_for_selector("#source-1-2.lit")
    assert source.locator("mark").inner_text() == "Monkeys are small."
    page.click("a.cite >> text=[1]")
    page.wait_for_selector("#source-1-1.lit")
    assert page.locator(".lit").count() == 1
    assert "page 2 · Average distance" in page.locator("#source-1-1").inner_text()
    page.click("a.cite >> text=[1]")
    page.wait_for_selector("#document[open] mark >> text=384,400")


def test_the_box_is_first_recalls_and_a_second_tab_follows(context: "BrowserContext", address: Address) -> None:
    page = opened(context, address)
    page.set_viewport_size({"width": 1024, "height": 700})
    assert not page.locator("#aside").is_visible()
    ask(page, "Which is first?")
    ask(page, "Which is second?")
    width = "one => one.offsetWidth"
    assert page.locator("#middle").evaluate(width) > page.locator("#aside").evaluate(width) > 0
    box = page.locator("#question textarea")
    for key, value in (("ArrowUp", "second"), ("ArrowUp", "first"), ("ArrowDown", "second")):
        box.press(key)
        assert box.input_value() == f"Which is {value}?"
    box.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#side') !== null")
    page.keyboard.press("?")
    page.locator("#keys").wait_for(state="visible")
    page.keyboard.press("Escape")
    other = context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#turn-2")
    page.set_viewport_size({"width": 1024, "height": 300})
    page.locator("#chat").evaluate("chat => { chat.scrollTop = 0 }")
    ask(page, "Which is third?")
    page.wait_for_function("() => document.querySelector('#turn-3').getBoundingClientRect().top < 300")
    other.wait_for_selector("#past #turn-3")
    ask(page, "@tides Which is fourth?", wait=False)
    page.keyboard.type("And the fifth?")
    page.wait_for_selector("#past #turn-4")
    assert box.input_value() == "@tides And the fifth?", "what is typed meanwhile is the next question"


def test_words_come_as_they_are_written_and_stay_when_stopped(context: "BrowserContext", tmp_path: Path) -> None:
    with fake_page(tmp_path, "--pause", 0.08, model=True) as address:
        page = opened(context, address)
        assert MODEL in page.locator("#side .brand").inner_text()
        ask(page, "It writes, degraded")
        written = page.locator("#past .written")
        assert f"written by {MODEL}" in written.inner_text() and "it is empty" not in written.inner_text()
        written.locator("summary").click()
        assert "rewriting: it is empty" in written.inner_text()
        page.locator("#past .steps > summary").click()
        assert "1,204 of 8,192 tokens read" in page.locator("#past .ledger").inner_text()
        ask(page, "unfinished", wait=False)
        page.wait_for_selector(f"#now .status >> text=loading {MODEL}")
        page.wait_for_selector("#now .writing >> text=The Moon is 384,4")
        page.click("#stop")
        page.wait_for_selector("#turn-2 .notice.stopped")
        assert "The Moon is 384,4" in page.locator("#turn-2 .answer").inner_text()
        page.click(".go-on")
        page.wait_for_selector("#now .writing >> text=The Moon is 384,4")
        assert page.locator(".question >> text=unfinished").count() == 1, "not shown twice meanwhile"
        page.wait_for_selector("#past #turn-2 .answer >> text=Monkeys are small.")
        assert page.locator(".turn").count() == 2 and page.locator(".go-on").count() == 0
        page.goto("about:blank")


def test_a_new_conversation_and_back_from_the_list_and_from_the_address(
    page: "Page", context: "BrowserContext", address: Address
) -> None:
    ask(page, "What is to be resumed?")
    of_it = page.url
    assert "?thread=" in of_it
    page.click("#new")
    page.wait_for_selector(".welcome")
    assert "thread=" not in page.url and page.locator(".turn").count() == 0
    page.click(".examples button >> text=Tides")
    page.wait_for_selector("#past .question >> text=What is “Tides” about?")
    page.click("#threads .thread >> text=What is to be resumed?")
    page.wait_for_selector("#past .question >> text=What is to be resumed?")
    assert page.url == of_it and page.locator(".turn").count() == 1
    assert page.locator("#source-1-1").is_visible()
    assert "1 turn · " in page.locator("#threads [aria-current]").inner_text()
    ask(page, "And on?")
    again = opened(context, address, of_it.partition("?thread=")[2])
    again.wait_for_selector("#past .question >> text=And on?")
    assert again.locator(".turn").count() == 2


def test_a_question_is_asked_again_in_other_words_and_as_it_is_meant_and_all_answers_are_kept(page: "Page") -> None:
    ask(page, "First?")
    page.click("#again-1 summary")
    first = page.locator("#again-1 button").first
    page.wait_for_function("() => document.querySelector('#again-1 button').getBoundingClientRect().top > 0")
    page.keyboard.press("Escape")
    first.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.innerText") == "Again"
    ask(page, "and second?")
    page.click("#again-2 summary")
    page.click("#again-2 >> text=with dense")
    page.wait_for_selector("#past .versions >> text=2 of 2")
    page.click("#turn-2 >> text=Edit")
    page.keyboard.type("Which is the second?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#past .versions >> text=3 of 3")
    page.fill("#question textarea", "/meant Who came second?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#past .understood >> text=Understood as: Who came second?")
    page.click("#past [aria-label='The answer before']")
    page.wait_for_selector("#past .versions >> text=3 of 4")
    assert page.locator("#past .question").all_inner_texts() == ["First?", "Which is the second?"]
    page.click("#turn-1 >> text=Ask on from here")
    page.click("#past >> text=Show it")
    page.wait_for_selector("#past .versions >> text=4 of 4")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#turn-1 >> text=Copy")
    page.wait_for_selector("#turn-1 >> text=Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("The Moon is 384,400 km away. [1]") and "\n[2] Monkeys in space · documents/" in copied


def test_conversations_are_found_named_pinned_kept_as_a_file_deleted_and_brought_back(page: "Page") -> None:
    def choose(action: str) -> None:
        page.click("#threads .entry-row:has([aria-current]) summary")
        page.click(f"#threads .entry-row:has([aria-current]) .menu >> text={action}")

    def say(command: str) -> None:
        page.fill("#question textarea", command)
        page.keyboard.press("Enter")

    ask(page, "What is said of walruses?")
    choose("Rename")
    page.keyboard.type("Walruses")
    page.click(".editing button >> text=Rename")
    page.wait_for_selector("#threads [aria-current] >> text=Walruses")
    choose("Pin")
    page.wait_for_selector("#threads .pin")
    with page.expect_download() as download:
        choose("Export HTML")
    assert download.value.suggested_filename == "walruses.html"
    assert "384,400" in Path(download.value.path()).read_text("utf-8")
    page.fill("input.find", "WALRUSES said")
    page.wait_for_function("() => document.querySelectorAll('#threads .thread').length == 1")
    page.fill("input.find", "nobody said this")
    page.wait_for_selector("#threads >> text=No conversation has these words.")
    page.fill("input.find", "")
    page.wait_for_selector("#threads [aria-current]")
    for way in ("the button", "the command"):
        choose("Delete")
        page.wait_for_selector(".welcome")
        if way == "the button":
            page.click(".brief button")
        else:
            say("/undo")
        page.wait_for_selector("#past .question >> text=What is said of walruses?")
    say("/tool graph")
    page.wait_for_selector("#now .notice.error >> text=there is no tool graph")
    say("/tool dense")
    page.wait_for_selector("#now .said >> text=searching with dense from now on")
    ask(page, "And of seals?")
    assert "dense" in page.locator("#tool textarea, #tool input").input_value()


def test_errors_refusals_and_html_of_a_document_are_calm_text(page: "Page") -> None:
    ask(page, "this fails", wait=False)
    page.wait_for_selector(".notice.error")
    assert page.locator(".notice.error").inner_text() == "the disk is full. Try: make room"
    ask(page, "And Neptune?")
    assert page.locator(".notice.error").count() == 0
    assert page.locator(".choices button").all_inner_texts() == ["What is “Tides” about?"]
    assert not page.locator("#aside").is_visible()
    page.fill("#question textarea", "   ")
    page.click("#send")
    page.wait_for_timeout(300)
    assert page.locator(".turn").count() == 1, "nothing was asked"
    ask(page, "markup <img src=x onerror='window.attacked = 1'>")
    page.locator("details:not([open]) > summary").first.click()
    assert page.evaluate("window.attacked") is None
    assert page.locator("#page img, #page script").count() == 0
    for place in ("#sources", "#turn-2 .answer", "#turn-2 .question"):
        assert "onerror" in page.locator(place).inner_text()
    assert "{{ 7 * 7 }}" in page.locator("#sources").inner_text()


def test_a_narrow_window_has_everything_in_drawers(browser: "Browser", address: Address) -> None:
    with closing(browser.new_context(viewport={"width": 400, "height": 800})) as context:
        page = opened(context, address)
        ask(page, "Does it fit markup?")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        box = page.locator("#send").bounding_box()
        assert box and box["x"] + box["width"] <= 400 and box["y"] + box["height"] <= 800
        assert not page.locator("#aside").is_visible() and not page.locator("#side").is_visible()
        page.click("a.cite >> text=[1]")
        page.wait_for_selector("#source-1-1.lit", state="visible")
        page.keyboard.press("Escape")
        page.wait_for_selector("#aside", state="hidden")
        page.click("#bar [data-drawer=side]")
        page.click("#threads .thread >> nth=0")
        page.wait_for_selector("#side", state="hidden")


def test_the_page_is_there_before_the_encoder_and_finishes_what_a_crash_cut_off(
    context: "BrowserContext", tmp_path: Path
) -> None:
    fill_threads(tmp_path, 1)
    with fake_page(tmp_path, "--loading", 600, "--pause", 0.4, "--interrupted", "thread-0") as address:
        page = opened(context, address)
        page.click("#threads .thread")
        page.wait_for_selector("#now .notice.cut-off >> text=cut off last time")
        page.wait_for_selector("#now .status >> text=Loading the encoder")
        (tmp_path / LOADED).touch()
        page.wait_for_selector(f"#now .question >> text={CUT_OFF}")
        page.wait_for_selector(f"#past .question >> text={CUT_OFF}")
        assert page.locator("#past .question").all_inner_texts() == ["How far is the Moon?", CUT_OFF]
        page.goto("about:blank")


def test_the_real_thing(context: "BrowserContext", examples_path: Path, cache: Path, tmp_path: Path) -> None:
    """`clew ui` over examples/documents."""
    port = free_port()
    command = ("-m", "clew.ui.cli", "ui", "--library", examples_path, "--port", port)
    here = {"CLEW_HOME": str(tmp_path), "CLEW_CACHE": str(cache)}
    with serving(*command, port=port, environment=here) as address:
        page = opened(context, address)
        page.set_default_timeout(90_000)
        ask(page, "What is the distance between the Moon and Earth?")
        assert "384,400" in page.locator("#past .answer").inner_text()
        page.click("a.cite >> nth=0")
        page.wait_for_selector(".source.lit .badge.quoted >> text=quoted word for word")
        assert page.locator("#past .answer .badge").all_inner_texts() == ["quoted word for word"]
        assert "384,400" in " ".join(page.locator(".source:visible mark").all_inner_texts())
        ask(page, "and how long does light take for that?")
        assert page.locator(".turn").count() == 2
        ask(page, "What is the best pizza dough?")
        page.wait_for_selector("#turn-3 .notice.refusal")
        page.locator(".offered button").first.click()
        page.wait_for_selector("#turn-4 .answer")
        offered = page.locator(".offered button")
        offered.first.wait_for()
        assert 2 <= offered.count() <= 3
        question = offered.first.inner_text()
        offered.first.click()
        page.wait_for_selector(f"#past #turn-5 .question >> text={question}")
        page.click("#new")
        page.click(".examples button >> text=then:")
        page.wait_for_selector("#past #turn-2 .answer")
        page.goto("about:blank")


def test_another_library_is_opened_in_the_page_which_loads_itself_anew(browser: "Browser", tmp_path: Path) -> None:
    with fake_page(tmp_path) as address, closing(browser.new_context()) as context:
        page = opened(context, address)
        page.click("#side .gear")
        page.fill("#set-passages", "7")
        page.fill("#set-library", "elsewhere")
        page.click("#settings dd button")
        page.wait_for_selector("#settings", state="hidden", timeout=60_000)
        page.click("#side .gear")
        page.wait_for_selector("#set-library")
        assert [page.input_value(f"#set-{name}") for name in ("library", "passages")] == ["elsewhere", "7"]
        assert not page.locator(".toast-wrap").is_visible() and not page.locator("#gone .gone").is_visible()
        page.goto("about:blank")


# Who is let in


def test_the_page_of_another_site_reads_and_frames_nothing(context: "BrowserContext", address: Address) -> None:
    """A page on another port of this machine, which has our cookie: with fetch, as a frame, and as an event stream."""
    opened(context, address).close()
    site = context.browser.new_context() if context.browser else context
    with closing(site):
        name, _, value = address.cookie.partition("=")
        site.add_cookies([{"name": name, "value": value, "url": address.page}])
        page = site.new_page()
        elsewhere = f"http://127.0.0.1:{free_port()}/"
        page.route(elsewhere, lambda route: route.fulfill(body="<title>x</title>", content_type="text/html"))
        page.goto(elsewhere)
        said = page.evaluate(
            """async (ours) => {
                const read = (path, more) => fetch(ours + path, {credentials: 'include', ...more}).then(
                    (answer) => answer.text(), (error) => 'refused')
                const streamed = new Promise((done) => {
                    const data = ours + 'gradio_api/queue/data?session_hash=x'
                    const stream = new EventSource(data, {withCredentials: true})
                    stream.onmessage = () => done('read')
                    stream.onerror = () => { stream.close(); done('refused') }
                })
                const frame = document.createElement('iframe')
                frame.src = ours
                const framed = new Promise((done) => { frame.onload = () => {
                    try { done(frame.contentDocument ? 'empty' : 'refused') } catch (error) { done('refused') } } })
                document.body.append(frame)
                const join = {method: 'POST', body: '{}', headers: {'content-type': 'application/json'}}
                return [await read('config'), await read(''), await read('gradio_api/queue/join', join), await streamed,
                    await framed]
            }""",
            address.page,
        )
        assert said == ["refused"] * 5
        (frame,) = page.frames[1:]
        assert "gradio" not in frame.content()
