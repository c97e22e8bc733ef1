"""What a spec of ZFS leaves open, filled in."""

from msgspec.structs import replace

from raidtui.backends.zfs.options import OPTIONS
from raidtui.model.spec import Spec
from raidtui.steps.extents import with_member_defaults


def with_defaults(spec: Spec) -> Spec:
    """The values of `OPTIONS`; members are partitions that leave room for a smaller replacement.

    ``ashift`` and ``vdevs`` stay open where nobody chose them: they come from the disks.
    """
    open_ones = {key: one.default for key, one in OPTIONS.items() if one.own and one.default}
    return replace(with_member_defaults(spec), options=open_ones | spec.options)
