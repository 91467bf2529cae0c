"""The pictures of the page in README.md and docs/tour.md, of the real page over examples/documents.

python -m tests.page_picture    makes docs/page.png and docs/document.png anew; Chromium and Playwright are needed
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from tests import transcript
from tests.transcript import ROOT, environment
from tests.ui.browsing import CHROMIUM, FLAGS, ask, free_port, opened, serving

QUESTIONS = ("Who directed the film Metropolis?", "and where was he born?")


def taken(page: Page, folder: Path) -> None:
    """A conversation, the steps of its last answer unfolded; then a source of it, opened where it is quoted."""
    for question in QUESTIONS:
        ask(page, question)
    page.locator("#past .steps > summary").last.click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(1000)
    page.screenshot(path=folder / "page.png")
    page.locator(".source:visible a[data-passage]").first.click()
    page.locator("#document[open] mark").first.wait_for()
    page.wait_for_timeout(1000)
    page.screenshot(path=folder / "document.png")


def main() -> None:
    port = free_port()
    with TemporaryDirectory() as made, sync_playwright() as driver:
        os.environ.update(environment(Path(made) / "library", Path(made) / "home"))
        transcript.printed(f"clew index -q {ROOT / 'examples' / 'documents'}")
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        with serving("-m", "clew.ui.cli", "ui", "--port", port, port=port) as address:
            context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
            context.set_default_timeout(90_000)
            page = opened(context, address)
            taken(page, ROOT / "docs")
            page.goto("about:blank")
        browser.close()


if __name__ == "__main__":
    main()
