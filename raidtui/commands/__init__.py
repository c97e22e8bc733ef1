"""The commands, one file each: ``configure(parser)`` names the options, ``run(args)`` returns the exit code.

They are the line-mode twins of the screens: data to stdout, progress and warnings to stderr, ``--json`` for
programs.
"""
