"""What a spec of a single disk leaves open, filled in."""

from msgspec.structs import replace

from raidtui.model.spec import Spec


def with_defaults(spec: Spec) -> Spec:
    """One partition, and nothing is left free after it: no replacement has to fit."""
    return replace(spec, partition=True, reserve=spec.reserve or 0)
