"""Why a disk is taken, and what frees it."""
