"""From disks to a confirmed plan, one decision a screen."""
