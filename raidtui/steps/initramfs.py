"""Rebuild the initramfs, which assembles arrays at boot from its own copy of mdadm.conf."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from raidtui.machine.ask import ask
from raidtui.model.answer import Answer, either, no, unknown
from raidtui.model.plan import Action, Check, Role, Run, Step, Undo
from raidtui.model.system import System
from raidtui.model.text import harmless
from raidtui.steps.condition import Condition, Held
from raidtui.steps.fstab import step_names

_IMAGES: Final = ("/boot/initrd.img-{release}", "/boot/initramfs-{release}.img", "/boot/initrd-{release}")
_UNPACK_SECONDS: Final = 300.0
# The command for one kernel, without its release, and the one for all.
_REBUILD: Final = {
    "update-initramfs": (("update-initramfs", "-u", "-k"), ("update-initramfs", "-u", "-k", "all")),
    "dracut": (("dracut", "--force", "--kver"), ("dracut", "--force", "--regenerate-all")),
}
_REBUILD_SECONDS: Final = 3600


def rebuilds(system: System) -> tuple[tuple[str, Run], ...]:
    """The kernels that may be booted, each with the command that rebuilds its initramfs; empty without an initramfs.

    These are the running kernel and the newest one. With an older kernel, selected by hand, the array still comes
    back and is mounted by the filesystem's UUID, but its name may differ. If the kernels are unknown, one command
    rebuilds all images, and the running kernel's image is checked.
    """
    if system.initramfs not in _REBUILD:
        return ()
    one, every = _REBUILD[system.initramfs]
    if not system.boot_kernels:
        return ((system.kernel, Run(argv=every, timeout_seconds=_REBUILD_SECONDS)),)
    return tuple(
        (release, Run(argv=(*one, release), timeout_seconds=_REBUILD_SECONDS))
        for release in system.boot_kernels
    )


def without_lines(
    lines: Sequence[str], system: System, *, role: Role, first: Sequence[Action] = ()
) -> Iterator[Step]:
    """The steps that take ``lines``, which mdadm.conf has lost, out of each initramfs.

    Args:
        first: what an undo does before it rebuilds them, so that they have the lines again; without it, nothing is undone.
    """
    found = rebuilds(system)
    for name, (release, rebuild) in zip(step_names("initramfs", len(found)), found, strict=True):
        yield Step(
            id=name,
            role=role,
            title=f"Rebuild the initramfs of kernel {harmless(release)}",
            reason="Its copy of mdadm.conf still names the array. This can take some minutes.",
            actions=(rebuild,),
            after=tuple(INITRAMFS_LACKS.of(release, line) for line in lines),
            undo=(*first, rebuild) if first else (),
            undoable=Undo.COMMANDS if first else Undo.NOTHING,
            undo_note="it is rebuilt with the line" if first else "",
        )


class InitramfsHas(Condition):
    """The mdadm.conf inside the initramfs of a kernel release has the expected line."""

    kind = "initramfs-has"
    says = "the initramfs of {subject} has the line '{expect}'"
    source = r"""
# Does the mdadm.conf in the initramfs of the kernel $1 have the line $2? 2 where that cannot be found out.
initramfs_has() {
    if command -v unmkinitramfs >/dev/null; then
        unpacked=$(mktemp -d)
        found=1
        asked unmkinitramfs "/boot/initrd.img-$1" "$unpacked" || found=2
        [ -n "$(find "$unpacked" -type f)" ] || found=2
        [ "$found" -eq 2 ] || ! grep -rqsxF --include=mdadm.conf -e "$2" "$unpacked" || found=0
        rm -rf "$unpacked"
        return "$found"
    fi
    image=/boot/initramfs-$1.img
    [ -e "$image" ] || image=/boot/initrd-$1
    case $(asked lsinitrd "$image") in *Image:*"$1"*) ;; *) return 2 ;; esac
    unpacked=$(asked lsinitrd -f etc/mdadm.conf "$image") || return 2
    ! lacks "$unpacked" "$2" || return 1
    printf '%s\n' "$unpacked" | grep -qxF -e "$2" || return 2
}"""
    splits = False
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        return _initramfs(check, wanted=True)


class InitramfsLacks(Condition):
    """The mdadm.conf inside the initramfs of a kernel release does not have the expected line."""

    kind = "initramfs-lacks"
    says = "the initramfs of {subject} does not have the line '{expect}'"
    source = r"""
initramfs_lacks() {
    found=0
    initramfs_has "$1" "$2" || found=$?
    [ "$found" -eq 1 ]
}"""
    splits = False
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        return _initramfs(check, wanted=False)


INITRAMFS_HAS: Final = InitramfsHas()
INITRAMFS_LACKS: Final = InitramfsLacks()


def _initramfs(check: Check, *, wanted: bool) -> Answer:
    release = check.subject
    image = next((path for one in _IMAGES if os.path.exists(path := one.format(release=release))), None)
    if image is None:
        return no(f"the kernel {release} has no initramfs in /boot")
    lines = _configuration_inside(image)
    if lines is None:
        return unknown(f"{image} cannot be unpacked, so its mdadm.conf is not known")
    there = check.expect.strip() in lines
    text = f"the mdadm.conf inside {image} {'has' if there else 'does not have'} the line {check.expect!r}"
    return either(holds=there is wanted, text=text)


def _configuration_inside(image: str) -> set[str] | None:
    """The lines of the mdadm.conf inside an initramfs; ``None`` if the image cannot be unpacked."""
    if not os.access("/usr/bin/unmkinitramfs", os.X_OK):
        # Of a file that is not in the image it prints nothing: then it must at least list the image.
        if "Image:" not in ask(["lsinitrd", image], _UNPACK_SECONDS).stdout:
            return None
        listed = ask(["lsinitrd", "-f", "etc/mdadm.conf", image], _UNPACK_SECONDS)
        return {line.strip() for line in listed.stdout.splitlines()} if listed.returncode == 0 else None
    # lsinitramfs lists names only; to read the file, unpack the image.
    with tempfile.TemporaryDirectory(prefix="raidtui-initramfs-") as folder:
        if ask(["unmkinitramfs", image, folder], _UNPACK_SECONDS).returncode != 0:
            return None
        inside = Path(folder)
        if not any(file.is_file() for file in inside.rglob("*")):
            return None
        files = [*inside.glob("**/etc/mdadm/mdadm.conf"), *inside.glob("**/etc/mdadm.conf")]
        return {line.strip() for file in files for line in file.read_text(errors="replace").splitlines()}
