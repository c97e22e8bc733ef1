"""What a spec of Btrfs leaves open, filled in."""

from msgspec.structs import replace

from raidtui.backends.btrfs.space import metadata_of
from raidtui.model.spec import Spec
from raidtui.steps.extents import with_member_defaults


def with_defaults(spec: Spec) -> Spec:
    """Metadata survive as many disks as data do; members are partitions that leave room for a smaller replacement."""
    return replace(with_member_defaults(spec), metadata=spec.metadata or metadata_of(spec.level))
