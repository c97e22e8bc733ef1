"""How the members of a lost array may belong together. Reads members and images; writes nothing."""
