"""Options of a spec: what is said of one that a backend does not have."""


def not_an_option(key: str, noun: str) -> str:
    """The sentence about a ``key`` of a spec that a unit of this kind, ``noun``, has not."""
    return f"the key {key!r} is of an array, and a {noun} has none; leave it out"
