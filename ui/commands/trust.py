"""`clew trust`: the settings of the working folder, taken as if they were the user's own."""

import click

from clew.memory.errors import BadInput
from clew.ui.plain import one_line


@click.command()
@click.option("--forget", "forgetting", is_flag=True, help="Do not take them any more.")
def trust(forgetting: bool) -> None:
    """Take all settings of this folder's clew.toml, as it is now.

    Without this only harmless ones are taken: whoever made the folder wrote them.
    """
    from clew.agent.settings import OF_FOLDER, distrust, folder_settings
    from clew.agent.settings import trust as take

    if not OF_FOLDER.is_file():
        raise BadInput("there is no clew.toml in this folder", "change to the folder that has it")
    if forgetting:
        distrust()
    else:
        take()
    taken, ignored = folder_settings()
    for name, value in taken.items():
        click.echo(one_line(f"{name} = {value!r}"))
    click.echo(f"ignored: {one_line(', '.join(ignored))}" if ignored else "all of its settings are taken", err=True)
