"""Virtual drives of MegaRAID and PERC cards, through storcli, storcli2 or perccli."""
