"""What the backends share: the steps that prepare disks and make things come back, and conditions to be asked."""
