"""The page for the browser: served to this machine alone, with nothing fetched from elsewhere."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.agent.settings import Settings


def launch(settings: "Settings") -> None:
    """Serve the page until Ctrl-C. Raises what opening the library raises, and `ClewError` for a port that is taken."""
    from clew.ui.web.serving import serve

    serve(settings)
