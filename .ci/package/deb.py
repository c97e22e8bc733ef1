"""The Debian package: raidtui and its Python packages in an environment of their own, which Debian's Python runs."""

import gzip
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Final

from package.completion import FILES, completion
from package.environment import PYTHONS, ROOT, fill
from package.files import settle, write
from package.manual import manual
from raidtui import __version__
from raidtui.machine.tools import TOOLS
from raidtui.model.machine import Machine
from raidtui.model.system import System
from raidtui.plan.alerts import unit_files

MAINTAINER: Final = "The raidtui authors <maintainers@raidtui.invalid>"
_SCRIPTS: Final = Path(__file__).with_name("debian")
_LAST: Final = f"3.{int(PYTHONS[-1].partition('.')[2]) + 1}"
_LAB: Final = ("user-mode-linux", "qemu-system-x86", "qemu-utils", "mmdebstrap")
_PLACES: Final = {
    "lintian-overrides": "usr/share/lintian/overrides/raidtui",
    "compile": "usr/share/raidtui/compile",
    "rtupdate": "usr/share/python3/runtime.d/raidtui.rtupdate",
    "postinst": "DEBIAN/postinst",
    "prerm": "DEBIAN/prerm",
    "postrm": "DEBIAN/postrm",
}
_COMPLETIONS: Final = {
    "bash": "usr/share/bash-completion/completions",
    "zsh": "usr/share/zsh/vendor-completions",
    "fish": "usr/share/fish/vendor_completions.d",
}


def control(size: int) -> str:
    """The description of the package; what it needs comes from the table of programs.

    Args:
        size: KiB of all files.
    """
    needed = dict.fromkeys(tool.package for tool in TOOLS.values() if tool.needed)
    versions = {tool.package: tool.at_least for tool in TOOLS.values() if tool.at_least}
    versions["util-linux"] = "2.38"  # Debian 12's; an essential package is named only with its version
    depends = [
        f"python3 (>= {PYTHONS[0]})",
        f"python3 (<< {_LAST})",
        "libc6 (>= 2.28)",
        "libudev1",
        *(f"{name} (>= {versions[name]})" if name in versions else name for name in needed),
        "smartmontools",
        "kmod",  # the kernel loads the levels of RAID as modules
    ]
    # Debian's main may not recommend what is in contrib.
    rest = dict.fromkeys(tool.package for tool in TOOLS.values() if not tool.built_by)
    recommends = [name for name in rest if name not in {*needed, *_LAB, "smartmontools"}]
    suggests = [*_LAB, TOOLS["zpool"].package]
    return f"""\
Package: raidtui
Version: {__version__}
Architecture: amd64
Maintainer: {MAINTAINER}
Installed-Size: {size}
Depends: {", ".join(depends)}
Recommends: {", ".join(recommends)}
Suggests: {", ".join(suggests)}
Section: admin
Priority: optional
Description: build, understand and benchmark Linux RAID in a terminal
 Takes bare disks to an array that you understand and have measured: choose
 disks, see what each level gives, read the exact plan, confirm by serial
 number, build, benchmark and compare. Later it says what is wrong, which disk
 it is, and replaces it, as a plan that ends with a check.
 .
 It drives mdadm, LVM, Btrfs, ZFS and RAID cards. 'raidtui lab' tries
 everything on virtual disks and a real kernel, without root (with
 user-mode-linux).
"""


def make(target: Path, wheels: Sequence[Path], time: datetime, *, compression: str = "xz") -> Path:
    """Write ``raidtui_VERSION_amd64.deb`` to ``target``.

    Args:
        compression: as dpkg-deb takes it.

    Raises:
        subprocess.CalledProcessError: dpkg-deb could not; it has said why.
    """
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "raidtui"
        _lay_out(tree, wheels, time)
        settle(tree, time)
        made = target / f"raidtui_{__version__}_amd64.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", f"-Z{compression}", "--build", str(tree), str(made)],
            check=True,
            stdout=subprocess.DEVNULL,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(int(time.timestamp()))},
        )
    return made


def _lay_out(tree: Path, wheels: Sequence[Path], time: datetime) -> None:
    own = tree / "usr/lib/raidtui"
    site = own / f"lib/python{PYTHONS[0]}/site-packages"
    site.mkdir(parents=True)
    fill(site, wheels, "dpkg")
    for python in PYTHONS[1:]:
        (own / f"lib/python{python}").symlink_to(f"python{PYTHONS[0]}")
    # This file makes it an environment: Python finds the packages, and every process that it starts finds them too.
    write(own / "pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n")
    (own / "bin").mkdir()
    (own / "bin/python3").symlink_to("../../../bin/python3")
    write(
        tree / "usr/bin/raidtui",
        '#!/bin/sh\nexec /usr/lib/raidtui/bin/python3 -P -m raidtui "$@"\n',
        mode=0o755,
    )
    _squeezed(tree / "usr/share/man/man8/raidtui.8.gz", manual(time))
    for shell, name in FILES.items():
        write(tree / _COMPLETIONS[shell] / name, completion(shell))
    program = Machine(system=System(hostname="", kernel="", program=("/usr/bin/raidtui",)))
    for name, lines in unit_files(program):
        write(tree / "usr/lib/systemd/system" / name, "\n".join(lines) + "\n")
    documents = tree / "usr/share/doc/raidtui"
    _squeezed(documents / "changelog.gz", _changelog(time))
    write(documents / "copyright", "\n".join(_copyright(site)))
    reference = site / "raidtui/REFERENCE.md"
    (documents / reference.name).symlink_to(os.path.relpath(reference, documents))
    for name, place in _PLACES.items():
        text = (_SCRIPTS / name).read_text(encoding="utf-8")
        write(tree / place, text, mode=0o755 if text.startswith("#!") else 0o644)
    size = sum(path.lstat().st_size for path in tree.rglob("*")) // 1024
    write(tree / "DEBIAN/control", control(size))


def _squeezed(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _changelog(time: datetime) -> str:
    signed = f" -- {MAINTAINER}  {format_datetime(time)}"
    return f"raidtui ({__version__}) stable; urgency=medium\n\n  * Release {__version__}.\n\n{signed}\n"


def _copyright(site: Path) -> Iterator[str]:
    """Whose each part is, as Debian's policy wants it: with the license texts that came with it."""
    yield "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    yield "Upstream-Name: raidtui"
    yield from _paragraph("*", "raidtui", "The raidtui authors", ROOT / "LICENSE")
    for metadata in sorted(site.glob("*.dist-info")):
        name = metadata.name.partition("-")[0]
        texts = [
            path for path in sorted(metadata.rglob("*")) if path.is_file() and "LICEN" in path.name.upper()
        ]
        if name != "raidtui" and texts:
            yield from _paragraph(f"usr/lib/raidtui/*/{name}*", name, f"the authors of {name}", *texts)


def _paragraph(files: str, name: str, owner: str, *texts: Path) -> Iterator[str]:
    yield f"\nFiles: {files}\nCopyright: {owner}\nLicense: {name}"
    for text in texts:
        for line in text.read_text(encoding="utf-8").splitlines():
            yield f" {line}" if line.strip() else " ."
