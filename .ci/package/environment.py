"""The Python packages that a package of raidtui brings with it: exact versions, each file checked against its hash.

Packages with compiled parts come once for each Python, side by side: one folder serves Python 3.11 to 3.13.
"""

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hatchling.builders.wheel import WheelBuilder

ROOT: Final = Path(__file__).resolve().parents[2]
LOCK: Final = Path(__file__).with_name("lock.txt")
PYTHONS: Final = ("3.11", "3.12", "3.13")
_PLATFORMS: Final = ("manylinux_2_28", "manylinux_2_17", "manylinux2014", "manylinux2010")
# RECORD lists the files of one wheel, and the folder has several of one package.
_LEFT_OUT: Final = re.compile(r"psutil/tests/|.*\.pyi$|.*\.dist-info/(RECORD$|sboms/)")


def pip_options(python: str) -> list[str]:
    """What makes pip choose the wheels of this Python on amd64, whichever Python runs pip."""
    platforms = [f"--platform={name}_x86_64" for name in _PLATFORMS]
    abis = [f"--abi={name}" for name in (f"cp{python.replace('.', '')}", "abi3", "none")]
    return ["--only-binary=:all:", f"--python-version={python}", "--implementation=cp", *abis, *platforms]


def download(folder: Path, pythons: Sequence[str]) -> list[Path]:
    """Fetch the wheels of `LOCK` with pip, for each Python.

    Raises:
        subprocess.CalledProcessError: pip could not; it has said why.
    """
    for python in pythons:
        words = ["download", "--quiet", "--no-deps", "--require-hashes", f"--requirement={LOCK}"]
        subprocess.run(
            [sys.executable, "-m", "pip", *words, *pip_options(python), f"--dest={folder}"], check=True
        )
    return sorted(folder.glob("*.whl"))


def make_wheel(folder: Path) -> Path:
    """The wheel of this tree."""
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder))))


def fill(site: Path, wheels: Sequence[Path], installer: str) -> None:
    """Unpack wheels into ``site``, and write what put them there.

    Args:
        installer: the word that `raidtui.machine.installation` knows.
    """
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as content:
            content.extractall(site, [name for name in content.namelist() if not _LEFT_OUT.match(name)])
    for metadata in site.glob("*.dist-info"):
        (metadata / "INSTALLER").write_text(f"{installer}\n", encoding="utf-8")
    for scripts in site.glob("*.data"):
        shutil.rmtree(scripts)
