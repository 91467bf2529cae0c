"""The page by the rules of axe-core, which is not shipped: CLEW_TEST_AXE names its axe.min.js (`npm pack axe-core`)."""

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.ui.browsing import CHROMIUM, ask, free_port, opened, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = os.environ.get("CLEW_TEST_AXE", "")

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.skipif(not AXE, reason="CLEW_TEST_AXE does not name axe.min.js"),
]

FOUND = """async (within) => (await axe.run(within, { resultTypes: ['violations'] })).violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.slice(0, 4).map((node) => `${node.target} ${node.any[0]?.message ?? ''}`)}`)
"""

WIDTHS = (1400, 1024, 390)
SCHEMES: "tuple[Literal['light', 'dark'], ...]" = ("light", "dark")
QUESTIONS = ("Which animals flew from Baikonur?", "What are these documents about?", "How many moons has Neptune?")
DIALOGS = {
    "documents": "[data-documents]:visible",
    "settings": "[data-settings-open]:visible",
    "comparison": "#turn-1 [data-compare]",
    "document": ".source:visible a[data-passage]",
    "keys": "",
}
"""What opens each."""


class Audit:
    """A page on which each state is looked at by axe."""

    def __init__(self, page: "Page") -> None:
        page.set_default_timeout(60_000)
        page.add_script_tag(path=AXE)
        self.page, self.where, self.found = page, "", list[str]()

    def at(self, width: int, where: str) -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        self.where = where

    def look(self, state: str, within: str = "body") -> None:
        self.page.wait_for_timeout(500)  # what moves stands still
        self.found += [f"{self.where}, {state}: {one}" for one in self.page.evaluate(FOUND, within)]

    def look_at_turns(self) -> None:
        for block in ("#turn-1 .steps", "#turn-1 .steps li details", "#turn-1 .menu"):
            if self.page.locator(f"{block}:not([open]) > summary").first.is_visible():
                self.page.locator(f"{block} > summary").first.click()
        self.look("conversation")

    def look_at_dialogs(self, narrow: bool) -> None:
        for dialog, opens in DIALOGS.items():
            if narrow and dialog == "documents":
                self.page.click("#bar [data-drawer=side]")
                self.look("conversations", "#side")
            if dialog == "document":
                self.page.locator("#turn-1 a.cite").first.click()
                self.look("sources", "#aside")
            if opens:
                self.page.locator(opens).first.click()
            else:
                self.page.keyboard.press("?")
            self.page.locator(f"#{dialog}[open]").wait_for()
            self.look(dialog, f"#{dialog}")
            for _ in range(2):
                self.page.keyboard.press("Escape")
                self.page.wait_for_timeout(300)


def test_nothing_serious_is_found_at_three_widths_in_light_and_dark(
    browser: "Browser", examples_path: Path, cache: Path, tmp_path: Path
) -> None:
    port, found = free_port(), list[str]()
    command = ("-m", "clew.ui.cli", "ui", "--library", examples_path, "--port", port)
    with serving(*command, port=port, environment={"CLEW_HOME": str(tmp_path), "CLEW_CACHE": str(cache)}) as address:
        for scheme in SCHEMES:
            made = browser.new_context(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
            with closing(made) as context:
                audit = Audit(opened(context, address))
                for width in WIDTHS:
                    audit.at(width, f"{width} {scheme}")
                    audit.look("empty")
                for question in QUESTIONS:
                    ask(audit.page, question)
                for width in WIDTHS:
                    audit.at(width, f"{width} {scheme}")
                    audit.look_at_turns()
                    audit.look_at_dialogs(width < 720)
                audit.page.goto("about:blank")
                found += audit.found
    assert not found, "\n".join(found)
