"""Try disks before they are trusted: read all of them at the same time, and compare them."""
