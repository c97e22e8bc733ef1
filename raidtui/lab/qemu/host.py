"""Check that this computer can run QEMU and make its image."""

import contextlib
import functools
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from raidtui.lab.host import SBIN, to_install
from raidtui.model.errors import ToolMissing
from raidtui.model.text import listed

SEARCH: Final = f"{os.environ.get('PATH', os.defpath)}:{SBIN}"

_NEEDED: Final = {"qemu-system-x86_64": "qemu-system-x86", "qemu-img": "qemu-utils"}
_FOR_IMAGE: Final = {"mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs"}
_FOR_IMAGE_AS_USER: Final = {"newuidmap": "uidmap", "fakeroot": "fakeroot"}

_KVM: Final = ("-accel", "kvm", "-cpu", "max")
_KVM_TIMEOUT: Final = 20  # s; with working KVM the kernel ends after three
# A plain processor is a fifth faster to emulate than one with every feature.
_EMULATED: Final = ("-accel", "tcg,thread=multi", "-cpu", "qemu64,-svm,+ssse3,+sse4.1,+sse4.2,+popcnt")


def find_programs() -> str:
    """Check that QEMU and its tools are here, and return the path of QEMU.

    Raises:
        ToolMissing: something is not installed; the message says what to install.
    """
    if platform.machine() != "x86_64":
        raise ToolMissing(f"the engine qemu runs guests for amd64, and this is {platform.machine()}")
    _check(_NEEDED, "the engine qemu", then=_image_tools())
    program = shutil.which("qemu-system-x86_64", path=SEARCH)
    assert program is not None
    return program


def check_image_tools() -> None:
    """Check that the programs that make the image are here.

    Raises:
        ToolMissing: something is not installed; the message says what to install.
    """
    _check(_image_tools(), "the image of the engine qemu")


def _image_tools() -> dict[str, str]:
    return _FOR_IMAGE | (_FOR_IMAGE_AS_USER if os.geteuid() else {})


def _check(programs: dict[str, str], what: str, *, then: Mapping[str, str] = MappingProxyType({})) -> None:
    """``then``: what is needed next, which is named too if something is missing."""
    missing = _missing(programs)
    if missing:
        missing += _missing(then)
        raise ToolMissing(f"{what} needs {listed(missing)}, not found here; {to_install(missing)}")


def _missing(programs: Mapping[str, str]) -> list[str]:
    return [package for program, package in programs.items() if shutil.which(program, path=SEARCH) is None]


@functools.cache
def processor(program: str, kernel: str) -> tuple[str, ...]:
    """The part of QEMU's command line for the processor: KVM if it works, else emulation.

    Args:
        program: QEMU.
        kernel: the file of the guest's kernel.
    """
    if os.access("/dev/kvm", os.R_OK | os.W_OK):
        # On some computers /dev/kvm opens, but its processors abort or hang. So start this kernel with nothing to
        # mount: it panics within seconds, which ends QEMU.
        argv = [program, "-nodefaults", "-no-reboot", "-display", "none", *_KVM, "-m", "256M"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            tried = subprocess.run(
                [*argv, "-kernel", kernel, "-append", "panic=-1"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_KVM_TIMEOUT,
                check=False,
            )
            if tried.returncode == 0:
                return _KVM
    return _EMULATED
