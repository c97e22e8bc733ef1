"""The names of everything that a recovery trial makes: by these it is kept apart, and found after a crash."""

from typing import Final

from raidtui.model.recovery_trial import ARRAYS

DM: Final = "raidtui-try-"
"""Device-mapper devices: ``m`` and a number is what is read of a member, ``o`` its overlay, ``top`` that of the array."""

MD: Final = ARRAYS
"""Arrays without metadata."""

RULES: Final = "/run/udev/rules.d/63-raidtui-try.rules"
"""After 63-md-raid-arrays.rules, which reads what is on an array, and before all rules that act on it."""

# Nobody may assemble, activate or mount anything of a trial, and its copy of a filesystem has the UUID of the
# original: so it gets no link, and systemd takes it as not ready. LVM, md and Btrfs act on ID_FS_TYPE.
_QUIET: Final = (
    'ENV{ID_FS_TYPE}="", ENV{ID_FS_USAGE}="", ENV{ID_FS_UUID}="", ENV{ID_FS_LABEL}="", ENV{SYSTEMD_READY}="0", '
    'ENV{ANACONDA}="1", ENV{UDISKS_IGNORE}="1"'
)
RULES_TEXT: Final = (
    f'ENV{{DM_NAME}}=="{DM}*", SYMLINK="mapper/$env{{DM_NAME}}", ENV{{DM_UDEV_DISABLE_OTHER_RULES_FLAG}}="1", {_QUIET}\n'
    f'KERNEL=="{MD}*", SYMLINK="", {_QUIET}\n'
    # Images, which have superblocks: mdadm --incremental would hold their loop devices. Others that are read-only, as those
    # of snaps, lose nothing but links.
    f'KERNEL=="loop*", ATTR{{ro}}=="1", {_QUIET}\n'
)
