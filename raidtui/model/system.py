"""What plans need to know about the computer besides its disks."""

from raidtui.model.hours import Hours
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.packages import Family
from raidtui.model.spec import Backend
from raidtui.model.struct import Bytes, Record, Whole


class ScrubSchedule(Record, frozen=True, kw_only=True):
    """Something that starts scrubs regularly: an enabled timer, or a line of cron."""

    by: str  # the timer, or the file of cron
    backend: Backend | None  # what it scrubs; None: the unit ``target``, whatever it is
    target: str = ""  # the name of a pool, a mount point, a UUID; empty: every unit of the backend
    when: str = ""  # its calendar event (systemd.time(7)), or the five fields of cron; empty: not known
    hours: Hours | None = None  # only in these, over several nights; None: at any time
    instead: str = ""  # the distribution's timer that it replaced; empty: none


def with_continue(timer: str) -> tuple[str, ...]:
    """``timer`` with the one that continues what it started: mdcheck stops after six hours."""
    return (timer, "mdcheck_continue.timer") if timer == "mdcheck_start.timer" else (timer,)


class ConfiguredArray(Record, frozen=True, kw_only=True):
    """An ARRAY line of mdadm.conf: joined into one line, and as written in its file."""

    text: str
    file: str
    lines: tuple[str, ...]  # several if it has continuation lines; comments included


class SmartdConf(Record, frozen=True, kw_only=True):
    """smartd's configuration, as far as it schedules self-tests."""

    file: str  # /etc/smartd.conf
    lines: tuple[str, ...] = ()  # directives as written, without comments and empty lines, in their order


class System(Record, frozen=True, kw_only=True):
    """What plans need to know about the computer."""

    hostname: str
    kernel: str  # 6.1.0-56-amd64
    architecture: str = "x86_64"
    memory_bytes: Bytes = 0
    processors: Whole = 1
    processor_model: str = ""
    systemd: bool = False  # systemd is running as init
    udev: bool = True
    uefi: bool = False
    initramfs: str = ""  # update-initramfs or dracut; empty if the system has neither
    boot_kernels: tuple[
        str, ...
    ] = ()  # kernels with an initramfs: the running one, then the newest; empty: not known
    mdadm_conf: str = "/etc/mdadm/mdadm.conf"
    mdadm_conf_arrays: tuple[str, ...] = ()  # its ARRAY lines, continuation lines joined
    mdadm_conf_entries: tuple[ConfiguredArray, ...] = ()  # the same, as written in the file
    mdadm_conf_devices: tuple[str, ...] = ()  # words of its DEVICE lines; empty: mdadm scans all devices
    mdadm_conf_auto: tuple[str, ...] = ()  # words of its AUTO line: what mdadm starts without an ARRAY line
    fstab: tuple[str, ...] = ()  # its lines as written, without comments
    fstab_nodes: tuple[str, ...] = ()  # of each line: the node that it means now; empty if that is not known
    crypttab: tuple[str, ...] = ()  # its lines as written, without comments
    crypttab_nodes: tuple[str, ...] = ()  # of each line: the node that it means now
    raid_speed_min: Whole | None = None  # dev.raid.speed_limit_min, bytes a second
    raid_speed_max: Whole | None = None
    mail_address: str = ""  # MAILADDR of mdadm.conf
    scrubbed_by: str | None = None  # what scrubs every array regularly; empty: nothing; None: not checked
    scrub_schedules: tuple[ScrubSchedule, ...] | None = None  # None: not known, or not all of them
    scrub_timers: tuple[
        str, ...
    ] = ()  # installed timers that scrub; an instance of name@.timer scrubs one unit
    # What reports that an array has lost a member; empty: nothing; None: not checked.
    monitored_by: str | None = None
    # What starts an array at boot though a member is missing; empty: nothing; None: not known.
    degraded_started_by: str | None = None
    program: tuple[str, ...] = ()  # how raidtui itself is started here; empty: not known
    could_scrub: str = ""  # a timer that could be enabled to scrub, or a program that cron could run
    hypervisor: str = ""  # kvm, vmware, uml …; empty on a real computer
    container: str = ""  # docker, lxc …
    memory_corrects: bool | None = None  # ECC memory, as the memory controller reports it; None: not known
    md_levels: tuple[str, ...] | None = None  # levels that this kernel has or can load; None: not known
    # Arrays wait for their first write before they sync, at each boot: md_mod's start_ro; None: not known.
    md_waits: bool | None = None
    smartd: SmartdConf | None = None  # None: not installed, or not read
    selinux: bool = False  # SELinux is on, and restorecon can give a file its label
    family: Family | None = None  # the distribution's, for names of packages; None: not known

    def lacks_level(self, level: str) -> bool:
        """Whether its kernel has neither this level of md nor a module for it, as far as known.

        Not known in a container, which sees modules of its own.
        """
        if self.md_levels is None or self.container:
            return False
        return level in MD_LEVELS and level not in self.md_levels

    @property
    def copied_to_initramfs(self) -> frozenset[str]:
        """The files in /etc that an initramfs has a copy of."""
        return frozenset({self.mdadm_conf, *(one.file for one in self.mdadm_conf_entries)})
