"""From disks to a confirmed plan, one decision per screen."""
