"""What a spec of Btrfs leaves open, filled in."""

from msgspec.structs import replace

from raidtui.backends.btrfs.space import metadata_of
from raidtui.model.spec import Spec
from raidtui.steps.extents import DEFAULT_RESERVE


def with_defaults(spec: Spec) -> Spec:
    """Metadata survive as many disks as data do; members are partitions that leave room for a smaller replacement."""
    partition = True if spec.partition is None else spec.partition
    return replace(
        spec,
        metadata=spec.metadata or metadata_of(spec.level),
        partition=partition,
        reserve=(DEFAULT_RESERVE if partition else 0) if spec.reserve is None else spec.reserve,
    )
