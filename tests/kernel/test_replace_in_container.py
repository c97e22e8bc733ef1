"""A disk of a firmware RAID with Intel's metadata is replaced: every volume in the container is whole, its data the same."""

import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.driving import JOBS, inspect, kill_everywhere, prepare, serials

A, B, C, NEW = serials(4)
ENV = {"IMSM_NO_PLATFORM": "1", "IMSM_DEVNAME_AS_SERIAL": "1", "IMSM_TEST_OROM_NAME": "1"}
EXPORT = "export " + " ".join(f"{key}={value}" for key, value in ENV.items())
MAKE = """
mdadm -q --create /dev/md/imsm --run -e imsm -n {disks} /dev/ubd[{letters}]
for one in {volumes}; do
    mdadm -q --create /dev/md/$one --run -l {level} -n {disks} -z 30M /dev/md/imsm; mdadm -q --wait /dev/md/$one || :
    dd if=/dev/urandom of=/dev/md/$one bs=1M count=25 oflag=direct status=none
done
udevadm trigger --action=change --settle $(ls -d /sys/block/md*)
"""
# Without mdmon mdadm 4.4 says that a volume failed which it has made, and does not name it: assembled again, it is named.
MAKE_DDF = """
export MDADM_NO_MDMON=1
dd if=/dev/urandom of=/dev/ubda bs=1M count=60 status=none; cat /dev/ubda >/dev/ubdb
mdadm -q --create /dev/md/ddf --run -e ddf -n 2 /dev/ubd[ab]
for one in one two; do
    mdadm -q --create /dev/md/$one --run -l 1 -n 2 -z 30M --assume-clean /dev/md/ddf || true
done
mdadm -q --stop $(sed -n 's,^\\(md[0-9]*\\) : active.*,/dev/\\1,p' /proc/mdstat)
mdadm -q --incremental /dev/md/ddf
udevadm trigger --action=change --settle $(ls -d /sys/block/md*)
"""
ACCEPT = ["--accept", "redundancy-drops"]
FAIL = "mdadm -q /dev/md/one --fail /dev/ubdb; sleep 2"


def make(guest: Guest, volumes: str = "one two", *, level: int = 1) -> str:
    """A container with these volumes; return the checksums of their data."""
    disks = 2 if level == 1 else 3
    guest.shell(EXPORT + MAKE.format(disks=disks, letters="abc"[:disks], volumes=volumes, level=level))
    return checksums(guest, volumes)


def checksums(guest: Guest, volumes: str = "one two") -> str:
    return guest.shell(
        f"echo 3 >/proc/sys/vm/drop_caches; for one in {volumes}; do sha256sum < /dev/md/$one; done"
    ).stdout


def replace(guest: Guest, old: str, *more: str) -> subprocess.CompletedProcess[str]:
    return guest.run(["raidtui", "replace", old, NEW, "--erase", NEW, *more], env=ENV, timeout=300)


def is_whole(guest: Guest, volumes: int = 2) -> bool:
    found = [one for one in inspect(guest)["arrays"] if one["metadata"].startswith("external:/")]
    return len(found) == volumes and all(
        one["degraded"] == 0 and {m["disk"] for m in one["members"]} >= {A, NEW} for one in found
    )


@pytest.mark.parametrize(
    ("level", "before"),
    [
        (1, FAIL),
        (1, ""),
        (1, f"{FAIL}; mdadm -q /dev/md/imsm --remove /dev/ubdb"),
        (5, ""),
        (5, FAIL),
    ],
)
@pytest.mark.first(2)
def test_a_disk_of_a_container_is_replaced_in_all_its_volumes(guest: Guest, level: int, before: str) -> None:
    volumes = "one two" if level == 1 else "one"
    data = make(guest, volumes, level=level)
    if before:
        guest.shell(f"{EXPORT}; {before}")
    else:
        refused = replace(guest, B)
        assert (refused.returncode, "redundancy-drops" in refused.stderr) == (3, True), refused.stderr
    done = replace(guest, B, *([] if before else ACCEPT))
    assert done.returncode == 0, done.stderr
    assert is_whole(guest, len(volumes.split()))
    assert checksums(guest, volumes) == data
    old = next(one for one in inspect(guest)["disks"] if one["serial"] == B)
    assert not old.get("signatures")


def test_a_replacement_in_a_container_that_is_killed_at_every_step_is_finished(
    guest: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, run = make(guest), guest.run

    def with_env(argv: list[str], *, env: Mapping[str, str] = ENV, **more: Any) -> Any:
        return run(argv, env={**ENV, **env}, **more)

    monkeypatch.setattr(guest, "run", with_env)
    guest.shell(f"rm -rf {JOBS}/*")
    kill_everywhere(guest, prepare(guest, "replace", B, NEW, "--erase", NEW, *ACCEPT))
    assert is_whole(guest)
    assert checksums(guest) == data


def test_metadata_of_ddf_is_refused_and_nothing_changes(guest: Guest) -> None:
    # Without mdmon the arrays stay read-only. With it, creating and filling them once hung for ever in CI.
    guest.shell(MAKE_DDF)
    data = checksums(guest)
    done = replace(guest, B)
    assert (done.returncode, "mdadm 4.2 crashes" in done.stderr) == (3, True), done.stderr
    assert checksums(guest) == data
