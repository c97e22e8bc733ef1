"""The computer itself: what plans need to know of it beside its disks."""

from raidtui.model.struct import Record


class ConfiguredArray(Record, frozen=True, kw_only=True):
    """An ARRAY line of mdadm.conf: what it says in one piece, and how it stands in which file."""

    text: str
    file: str
    lines: tuple[str, ...]  # more than one where it goes on in the next; comments included


class System(Record, frozen=True, kw_only=True):
    """What plans need to know of the computer itself."""

    hostname: str
    kernel: str  # 6.1.0-56-amd64
    architecture: str = "x86_64"
    memory_bytes: int = 0
    processors: int = 1
    processor_model: str = ""
    systemd: bool = False  # systemd is running as init
    udev: bool = True
    uefi: bool = False
    initramfs: str = ""  # update-initramfs or dracut; empty where the system has none
    boot_kernels: tuple[
        str, ...
    ] = ()  # with an initramfs: the running one, then the newest; empty: not known
    mdadm_conf: str = "/etc/mdadm/mdadm.conf"
    mdadm_conf_arrays: tuple[str, ...] = ()  # its ARRAY lines, each in one piece
    mdadm_conf_entries: tuple[ConfiguredArray, ...] = ()  # the same, as they stand there
    mdadm_conf_devices: tuple[str, ...] = ()  # words of its DEVICE lines; empty: mdadm looks everywhere
    fstab: tuple[str, ...] = ()  # its lines as they stand there, without comments
    raid_speed_min: int | None = None  # dev.raid.speed_limit_min, bytes a second
    raid_speed_max: int | None = None
    mail_address: str = ""  # MAILADDR of mdadm.conf
    scrubbed_by: str | None = (
        None  # what reads every array whole regularly; empty: nothing does; None: not looked for
    )
    monitored_by: str | None = (
        None  # what tells when an array loses a member; empty: nothing; None: not looked for
    )
    could_scrub: str = ""  # a timer that could be enabled for it, or a program that cron could start
    hypervisor: str = ""  # kvm, vmware, uml …; empty on a real computer
    container: str = ""  # docker, lxc …
    memory_corrects: bool | None = None  # memory with ECC, as its controller reports; None: not known
    md_levels: tuple[str, ...] | None = None  # that this kernel has or can load; None: not known
