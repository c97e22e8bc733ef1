"""A controller in the output of ``/cX show all`` of storcli and storcli2. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from raidtui.backends.cards.meanings import switch
from raidtui.backends.cards.pci import kernel_address
from raidtui.backends.cards.protection import Protection, protection_of
from raidtui.backends.cards.records import Adapter, Battery
from raidtui.backends.megaraid.answer import part_of, text_of, whole_number
from raidtui.model.text import count_of
from raidtui.model.units import MIB

_LEVELS: Final = re.compile(r"RAID(0|1|5|6|10|50|60)(?![0-9])")
_HOURS: Final = re.compile(r"(\d{1,19}) ?(?:hrs?|hours?)?", re.IGNORECASE | re.ASCII)
_BATTERIES: Final = (
    ("Cachevault_Info", "CacheVault"),
    ("BBU_Info", "battery"),
    ("Energy Pack Info", "energy pack"),
)
_SAS_WITH_SATA: Final = (("rotating", "HDD"), ("flash", "SSD"))


def adapter_in(data: Mapping[str, Any], *, number: int, tool: str, version: str) -> Adapter:
    """The controller in an answer; values it does not have stay empty."""
    basics, versions = part_of(data, "Basics"), part_of(data, "Version")
    hardware, status = part_of(data, "HwCfg"), part_of(data, "Status")
    tasks, able = part_of(data, "Scheduled Tasks"), part_of(data, "Capabilities")
    cache = hardware.get("Current Size of FW Cache (MB)", hardware.get("Current Size of FW Cache(MiB)"))
    return Adapter(
        number=number,
        tool=tool,
        tool_version=version,
        model=text_of(basics, "Model", "Product Name"),
        serial=text_of(basics, "Serial Number"),
        firmware=text_of(versions, "Firmware Version"),
        package=text_of(versions, "Firmware Package Build", "Package Version"),
        driver=text_of(versions, "Driver Name"),
        address=kernel_address(
            text_of(basics, "PCI Address") or text_of(part_of(data, "HostInterface"), "PCI Address")
        ),
        status=text_of(status, "Controller Status"),
        cache_bytes=max(0, whole_number(cache) or 0) * MIB,
        battery=_battery(data),
        has_battery=_fitted(text_of(hardware, "BBU", "Energy Pack")),
        patrol_read=_repeats(
            text_of(tasks, "Patrol Read Reoccurrence", "Patrol Read Execution Frequency(hours)")
        ),
        consistency_check=_repeats(
            text_of(tasks, "Consistency Check Reoccurrence", "Consistency Check Execution Frequency(hours)")
        ),
        personality=text_of(status, "Current Personality", "Controller Personality").removesuffix("-Mode"),
        preserved_cache=_preserved(
            text_of(status, "Any Offline VD Cache Preserved", "Preserved Cache Present")
        ),
        faults=_faults(status),
        levels=_levels(text_of(able, "RAID Level Supported", "Supported RAID Levels")),
        sas_with_sata=tuple(
            kind
            for kind, word in _SAS_WITH_SATA
            if text_of(able, f"Mix of SAS/SATA of {word} type in VD") == "Allowed"
        ),
    )


def volumes_counted(data: Mapping[str, Any]) -> int | None:
    """The controller's count of its virtual drives; None if it is not reported."""
    return _most(data, part_of(data, "Status"), ("VD LIST", "Virtual Drives", "VD Count"))


def drives_counted(data: Mapping[str, Any]) -> int | None:
    """The controller's count of its drives, without enclosures; None if it is not reported."""
    return _most(data, part_of(data, "Status"), ("PD LIST", "Physical Drives", "PD Drive Count"))


def volumes_down(data: Mapping[str, Any]) -> int:
    """The controller's count of degraded and offline virtual drives; 0 if it is not reported, as older tools do not."""
    status = part_of(data, "Status")
    return sum(whole_number(status.get(f"VD {one} Count")) or 0 for one in ("Degraded", "Offline"))


def _most(data: Mapping[str, Any], status: Mapping[str, Any], keys: Sequence[str]) -> int | None:
    """The highest of the counts under ``keys``, of which some are lists."""
    values = [part.get(key) for part in (data, status) for key in keys]
    counts = [len(one) if isinstance(one, list) else whole_number(one) for one in values]
    return max((one for one in counts if one is not None), default=None)


def _battery(data: Mapping[str, Any]) -> Battery | None:
    for key, kind in _BATTERIES:
        rows = data.get(key)
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            return Battery(kind=kind, state=text_of(rows[0], "State", "Status"))
    return None


def _fitted(text: str) -> bool | None:
    if protection_of(text) is Protection.ABSENT:
        return False
    return True if text.lower().startswith("present") else switch(text)


def _preserved(text: str) -> bool:
    """Whether the card keeps unwritten data; a word that is not known does not say that it keeps none."""
    return bool(text) and switch(text) is not False


def _faults(status: Mapping[str, Any]) -> tuple[str, ...]:
    """Errors of the card's memory that it could not correct: what it had cached there was written wrong, or not at all."""
    errors = whole_number(status.get("Memory Uncorrectable Errors"))
    return (f"the card's memory has {count_of(errors, 'uncorrectable error')}",) if errors else ()


def _repeats(text: str) -> bool | None:
    """Whether a task is scheduled, such as every 168 hours; None if not reported."""
    if not text:
        return None
    found = _HOURS.match(text)
    return bool(found and int(found[1]))


def _levels(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"raid{one}" for one in _LEVELS.findall(text)))
