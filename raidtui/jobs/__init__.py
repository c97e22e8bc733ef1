"""This room carries plans out, and is the only one that changes a disk: runner, guard, capsule, journal."""
