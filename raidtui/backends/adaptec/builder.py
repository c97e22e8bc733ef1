"""Build and remove virtual drives of Adaptec cards with arcconf."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.adaptec.commands import create, delete, link, wait
from raidtui.backends.adaptec.conditions import (
    DRIVE_CACHE,
    INITIALIZED,
    KINDS,
    SPARES,
    VOLUME,
    VOLUME_CREATED,
)
from raidtui.backends.adaptec.reader import ADAPTEC
from raidtui.backends.adaptec.wording import SMARTRAID
from raidtui.backends.cards.builder import Making, card_builder
from raidtui.backends.cards.conditions import VolumeIs, slots_and_serials, subject
from raidtui.backends.cards.options import BACKGROUND, FULL, OFF, UNCHANGED, WRITE_THROUGH
from raidtui.backends.cards.records import Adapter, Drive
from raidtui.backends.cards.units import NAMED_BY
from raidtui.model.errors import BadInput
from raidtui.model.plan import Check, Step, start_step
from raidtui.model.spec import Spec


def _check_card(adapter: Adapter, spec: Spec) -> None:
    """Refuse options and spares of a SmartRAID card.

    No recording shows how its arcconf sets caches and spares, or what it then reports.
    """
    if adapter.driver != SMARTRAID:
        return
    own = spec.options
    if (
        own.get("write_policy") == WRITE_THROUGH
        or own.get("read_ahead") == OFF
        or own.get("drive_cache", UNCHANGED) != UNCHANGED
    ):
        raise BadInput(
            "raidtui does not set the caches of a SmartRAID card; leave 'write_policy', 'read_ahead' and "
            f"'drive_cache' out and set them yourself: '{adapter.tool} SETCACHE' shows the syntax"
        )
    if own.get("initialization", BACKGROUND) != BACKGROUND:
        raise BadInput("a SmartRAID card initializes in the background; leave 'initialization' out")
    if spec.spares:
        raise BadInput(
            "raidtui gives no hot spare to a SmartRAID card; leave 'spares' out and add one yourself: "
            f"'{adapter.tool} SETSTATE' shows the syntax"
        )


def _finds_new(adapter: Adapter) -> bool:
    """By the identity that the card gives, or else by its name, which aacraid shows as the model of the disk."""
    gives = any(one.naa or one.serial for one in adapter.volumes)
    return gives or adapter.driver in {NAMED_BY, SMARTRAID}


def _created(spec: Spec) -> VolumeIs:
    """With full initialization, do not expect the kernel to have it while the card zeros it."""
    return VOLUME_CREATED if spec.options.get("initialization") == FULL else VOLUME


def _wait(adapter: Adapter, spec: Spec, name: str, made: str) -> list[Step]:
    """Wait for full initialization, if chosen."""
    if spec.options.get("initialization") != FULL:
        return []
    drive = subject(adapter, name)
    return [
        start_step(
            id="initialize",
            title="Wait until the virtual drive is initialized (full)",
            reason="The card writes zeros to all of it, which takes hours. Then its copies or parity are consistent.",
            actions=(wait(adapter, name),),
            after=(INITIALIZED.of(drive, FULL), VOLUME.of(drive, made)),
            as_long_as="writing the whole virtual drive",
        )
    ]


def _made_beside(
    adapter: Adapter, spec: Spec, members: Sequence[Drive], spares: Sequence[Drive]
) -> tuple[Check, ...]:
    """The spares, assigned after creation, and the drive caches."""
    of_spares = (SPARES.of(subject(adapter, "spares"), slots_and_serials(spares)),) if spares else ()
    caches = spec.options.get("drive_cache", UNCHANGED)
    if caches == UNCHANGED:
        return of_spares
    wanted = " ".join(f"{one.slot}={caches}" for one in (*members, *spares))
    return (*of_spares, DRIVE_CACHE.of(subject(adapter, "drive caches"), wanted))


BUILDER: Final = card_builder(
    Making(
        family=ADAPTEC,
        card="an Adaptec card",
        kinds=KINDS,
        conditions=(SPARES, VOLUME_CREATED, INITIALIZED, DRIVE_CACHE),
        create=create,
        link=link,
        delete=delete,
        check_card=_check_card,
        finds_new=_finds_new,
        made_beside=_made_beside,
        created=_created,
        wait=_wait,
    )
)
