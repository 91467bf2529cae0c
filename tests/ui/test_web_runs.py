"""Runs that two tabs ask for at one moment."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clew.agent.state import Turn
from clew.ui.web.views import Runs
from tests.ui.web_fake import CUT_OFF, PageAssistant


class SlowToSay(PageAssistant):
    """Two that ask whether a turn was cut off would both hear so."""

    def interrupted(self, thread: str) -> str:
        question = super().interrupted(thread)
        time.sleep(0.2)
        return question


def test_two_tabs_that_open_a_cut_off_turn_at_once_follow_one_run(tmp_path: Path) -> None:
    with SlowToSay(tmp_path, pause=0.1, interrupted="t") as assistant:
        runs = Runs(assistant)
        with ThreadPoolExecutor(2) as tabs:
            first, second = tabs.map(lambda _: runs.open("t"), range(2))
        assert first is not None and first is second
        assert [event.question for events in first.follow() for event in events if isinstance(event, Turn)] == [CUT_OFF]
        runs.close()
