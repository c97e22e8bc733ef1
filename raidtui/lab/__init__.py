"""A real kernel with virtual disks, without root: user-mode Linux on the host's own tree. Stands alone.

raidtui.lab.guest boots guests and runs commands in them; raidtui.lab.session does so for a terminal or pipes.
"""
