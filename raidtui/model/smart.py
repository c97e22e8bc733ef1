"""The health of a disk, as the disk itself reports it."""

from raidtui.model.struct import Record, Whole


class Smart(Record, frozen=True, kw_only=True):
    """The health of a disk as smartctl reports it; ``None`` where the disk does not report a value."""

    passed: bool | None = None
    below_limit: tuple[str, ...] = ()  # pre-failure attributes that are at or below the maker's limit now
    temperature_celsius: Whole | None = None
    power_on_hours: Whole | None = None
    reallocated_sectors: Whole | None = None
    pending_sectors: Whole | None = None
    uncorrectable_sectors: Whole | None = None
    reported_uncorrectable: Whole | None = None  # ATA attribute 187: commands that failed on a bad sector
    command_timeouts: Whole | None = None  # ATA attribute 188
    uncorrected_errors: Whole | None = None  # SCSI: reads, writes and verifies that failed after all retries
    crc_errors: Whole | None = None
    percentage_used: Whole | None = None  # wear of the flash, as the drive reports it
    media_errors: Whole | None = None  # NVMe
    critical_warning: Whole | None = None  # NVMe bit mask; 0: no warning
    available_spare: Whole | None = None  # NVMe, percent
    available_spare_threshold: Whole | None = None  # NVMe, percent: below it the drive is worn out
    erc_read_deciseconds: Whole | None = None  # error-recovery limit; 0 = off
    erc_write_deciseconds: Whole | None = None
    serial: str = ""  # as on its label; a USB bridge may hide it from udev
    family: str = ""  # model family in smartmontools' drive database, which may add "(SMR)"
    firmware: str = ""
    zoned: str = ""  # zoned_device.capabilities of smartctl
    self_test: str = ""  # result of the last self-test
    failed_test: str = ""  # the last failed test that no later test has cleared: type, result, hours
    self_test_hours: Whole | None = None  # power-on hours at its end; drives keep only the lower 16 bits
    self_tests_logged: Whole | None = None  # entries in the log of an ATA drive, 21 at most
    long_test_hours: Whole | None = None  # power-on hours at the end of the last long test that passed
    trim_supported: bool | None = None
    farm_hours: Whole | None = None  # power-on hours in Seagate's FARM log, which no SMART reset clears
    assembled: str = ""  # year and week, YYWW, from the same log
    recording: str = ""  # SMR or CMR, from the same log
    rotation_rate: Whole | None = None  # revolutions per minute; 0 for an SSD
    link_bits_per_second: Whole | None = None  # current speed of the SATA link …
    link_best_bits_per_second: Whole | None = None  # … and the drive's maximum
    write_cache: bool | None = None  # whether the drive's write cache is enabled
    password_set: bool | None = None  # an ATA password is set: the drive locks itself at power loss
    power_loss_protected: bool | None = None  # True if the drive tests its capacitors; None: not reported
    raw_exit_status: Whole = 0  # smartctl's bit mask

    @property
    def is_silent(self) -> bool:
        """Whether it says nothing of the health of the disk: a USB bridge or RAID card may pass on nothing else."""
        return all(
            one is None
            for one in (
                self.passed,
                self.reallocated_sectors,
                self.pending_sectors,
                self.uncorrectable_sectors,
                self.reported_uncorrectable,
                self.uncorrected_errors,
                self.percentage_used,
                self.media_errors,
                self.critical_warning,
            )
        )
