"""Store measured results and compare them."""
