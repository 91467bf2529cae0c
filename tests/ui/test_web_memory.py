"""What Gradio keeps of a tab and makes for it: no more after a turn than before, and no component anew."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.ui.web_fake import PageAssistant

TURNS = 3


def kept_after_turns(folder: Path) -> tuple[list[tuple[int, int]], int, set[str]]:
    """How many configurations and components Gradio keeps of a tab, at first and after each turn, how many updates the
    tab was sent, and which components were made anew for them. In a process of its own, for Gradio leaves event loops
    open."""
    import gradio as gr

    from clew.ui.web import views
    from clew.ui.web.page import BrowserPage

    views.FRAME = 0.0
    with PageAssistant(folder) as assistant:
        conversations = views.Conversations(assistant)
        blocks = BrowserPage(assistant, conversations).blocks
        state = blocks.state_holder["tab"]
        event = next(one for one in blocks.fns.values() if one.name == "_ask")
        request = gr.Request(username="", session_hash="tab", query_params=SimpleNamespace())

        async def asked() -> int:
            """As the Send button does."""
            updates, iterator, going = 0, None, True
            while going:
                done: dict[str, Any] = await blocks.process_api(
                    event, ["t", "How far?"], state, request, iterator, session_hash="tab", event_id="1"
                )
                updates, iterator, going = updates + 1, done["iterator"], bool(done["is_generating"])
            return updates

        made, begin = set[str](), gr.Button.__init__

        def noted(button: gr.Button, *args: Any, **properties: Any) -> None:
            made.add(str(properties.get("elem_id")))
            begin(button, *args, **properties)

        setattr(gr.Button, "__init__", noted)  # noqa: B010 - mypy takes no other
        kept, updates = [(len(state.config_values), len(state.blocks_config.blocks))], 0
        for _ in range(TURNS):
            updates += asyncio.run(asked())
            kept.append((len(state.config_values), len(state.blocks_config.blocks)))
        conversations.runs.close()
    return kept, updates, made


@pytest.mark.timeout(300)
def test_a_tab_that_goes_on_and_on_keeps_no_components_and_makes_none_that_stay(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
        kept, updates, made = apart.submit(kept_after_turns, tmp_path).result()
    assert updates > 3 * TURNS
    assert set(kept) == {kept[0]}, f"of a tab, turn by turn: {kept}"
    assert not made, "what changes goes out as it is"
