"""How raidtui was installed, and that a wheel holds all that a checkout has."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from raidtui import __version__, cli
from raidtui.machine.installation import how_installed

ROOT = Path(__file__).resolve().parents[2]
VERSIONED = f"raidtui-{__version__}.dist-info"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")))))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in which the wheel is unpacked; what raidtui depends on is that of the tests."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, symlinks=True, with_pip=False)
    site = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    zipfile.ZipFile(wheel).extractall(site)
    # Python reads no .pth files in a folder that another one names: the checkout stays unknown.
    (site / "needs.pth").write_text(sysconfig.get_path("purelib"))
    (site / VERSIONED / "INSTALLER").write_text("pip\n")
    return folder


def run(environment: Path, words: Sequence[str]) -> str:
    """What raidtui prints, run outside the checkout."""
    argv = [str(environment / "bin" / "python"), "-P", "-m", "raidtui", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("raidtui/")}
    package = ROOT / "raidtui"
    assert held == {
        str(path.relative_to(ROOT))
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.slow
@pytest.mark.processes
def test_the_wheel_runs_outside_the_checkout(installed: Path) -> None:
    assert run(installed, ["--version"]) == f"raidtui {__version__} (wheel, by pip)\n"
    assert "cdm" in run(installed, ["bench", "--list"])
    assert "levels" in run(installed, ["sweep", "--list"])
    assert "alert:" in run(installed, ["status", "--prometheus-rules"])
    assert "published" in run(installed, ["results", "list", "--published"])


@pytest.mark.parametrize(
    ("by", "mark", "words"),
    [
        ("pip\n", "", "wheel, by pip"),
        ("uv", "", "wheel, by uv"),
        ("pip\n", "pipx_metadata.json", "wheel, by pipx"),
        ("uv", "uv-receipt.toml", "wheel, by uv tool"),
        ("dpkg\n", "", "Debian package"),
        ("one-file\n", "", "one file"),
        ("", "", "wheel"),
    ],
)
def test_what_installed_it_is_said_in_words(by: str, mark: str, words: str, tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "raidtui"
    package.mkdir(parents=True)
    metadata = package.parent / VERSIONED
    metadata.mkdir()
    (metadata / "INSTALLER").write_text(by)
    if mark:
        (tmp_path / mark).touch()
    assert how_installed(str(package), str(tmp_path)) == words


def test_metadata_without_an_installer_is_a_wheel(tmp_path: Path) -> None:
    (tmp_path / VERSIONED).mkdir()
    assert how_installed(str(tmp_path / "raidtui"), str(tmp_path)) == "wheel"


def test_a_checkout_names_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"raidtui {__version__} (checkout in {ROOT})\n"
