"""Arrays of md(4), made by mdadm(8)."""
