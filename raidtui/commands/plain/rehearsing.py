"""The plan under review on copies of its disks, line by line."""

from raidtui.commands.plain.session import Session
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.ui.widgets.parts import bare
from raidtui.ui.wizard.rehearsed_words import begins, not_rehearsed, order_to_rehearse, result_parts
from raidtui.ui.wizard.wanted import Purpose


def rehearse(session: Session, purpose: Purpose) -> None:
    """Rehearse it, and say what was seen; Ctrl-C stops it. Raises BadInput: it cannot be started."""
    say = session.asking.say
    try:
        process = session.world.rehearse(order_to_rehearse(purpose, session.draft))
    except OSError as error:
        raise BadInput(f"the rehearsal cannot be started: {error.strerror}") from error
    say(f"Ctrl-C stops it. {begins(session.world)}")
    while True:
        try:
            say(bare(result_parts(process.follow(say))))
        except KeyboardInterrupt:
            process.stop()  # it removes its copies, and then ends without a result
            continue
        except RaidtuiError as error:
            say(bare(not_rehearsed(str(error))))
        return
