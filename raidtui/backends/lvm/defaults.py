"""What a spec of LVM leaves open, filled in."""

from msgspec.structs import replace

from raidtui.backends.lvm.levels import LEVELS
from raidtui.backends.lvm.space import DEFAULT_STRIPE
from raidtui.model.spec import Spec
from raidtui.steps.extents import with_member_defaults


def with_defaults(spec: Spec) -> Spec:
    """As LVM has them for the type; members are partitions that leave room for a smaller replacement."""
    level = LEVELS.get(spec.level)
    chunked = level is not None and level.has_chunk and spec.chunk is None
    return replace(
        with_member_defaults(spec),
        chunk=DEFAULT_STRIPE if chunked else spec.chunk,
    )
