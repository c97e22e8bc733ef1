"""Read the results of other benchmarks: CrystalDiskMark, KDiskMark, AmorphousDiskMark, fio, Bonnie++."""
