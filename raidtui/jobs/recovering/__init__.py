"""Recovery trials: a lost array is put together on overlays, in every way that may be right. No member is written."""
