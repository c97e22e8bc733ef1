"""What a spec of md leaves open, filled in."""

from msgspec.structs import replace

from raidtui.backends.md.geometry import DEFAULT_METADATA
from raidtui.backends.md.layouts import default_layout
from raidtui.backends.md.levels import LEVELS
from raidtui.model.md_levels import DEFAULT_CHUNK
from raidtui.model.spec import Spec
from raidtui.steps.extents import with_member_defaults


def with_defaults(spec: Spec) -> Spec:
    """As mdadm has them for the level; members are partitions that leave room for a smaller replacement."""
    level = LEVELS.get(spec.level)
    chunked = level is not None and level.has_chunk and spec.chunk is None
    return replace(
        with_member_defaults(spec),
        chunk=DEFAULT_CHUNK if chunked else spec.chunk,
        layout=spec.layout or default_layout(spec.level) or None,
        metadata=spec.metadata or DEFAULT_METADATA,
        consistency=spec.consistency or (level.consistencies[0] if level else None),
    )
