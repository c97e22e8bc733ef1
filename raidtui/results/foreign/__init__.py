"""Reads what other benchmarks wrote: CrystalDiskMark, KDiskMark, AmorphousDiskMark, fio, Bonnie++."""
