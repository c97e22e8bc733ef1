"""Make every package of raidtui in build/: the wheel, the source archive, the Debian package and the one file."""

import os
import platform
import sys
import tempfile
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder

from package import deb, one_file
from package.environment import PYTHONS, ROOT, download, make_wheel
from package.files import made_at


def main() -> None:
    """Make them one after the other, and print each path and size."""
    if platform.machine() != "x86_64":
        raise SystemExit(f"the packages are for amd64, and this is {platform.machine()}")
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    for old in build.glob("raidtui[_-]*"):
        old.unlink()
    time = made_at()
    os.environ["SOURCE_DATE_EPOCH"] = str(int(time.timestamp()))
    wheel = make_wheel(build)
    tell(wheel)
    tell(Path(next(SdistBuilder(str(ROOT)).build(directory=str(build)))))
    with tempfile.TemporaryDirectory() as scratch:
        every = download(Path(scratch), PYTHONS)
        package = deb.make(build, [*every, wheel], time)
        tell(package)
        own = f"{sys.version_info.major}.{sys.version_info.minor}"
        alone = Path(scratch) / "own"
        alone.mkdir()
        single = one_file.make(build, [*download(alone, [own]), wheel], time)
        tell(single)
    print(f"\nInstall it on Debian or Ubuntu: sudo apt install {package}")
    print(f"Elsewhere, such as on a rescue system, run as it is: {single}")


def tell(made: Path) -> None:
    """Print what was made."""
    print(f"{made.stat().st_size / 1e6:7.1f} MB  {made.relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    main()
