"""The commands, one file each: ``configure(parser)`` adds the options, ``run(args)`` returns the exit code.

They do in line mode what the screens do: data to stdout, progress and warnings to stderr, ``--json`` for programs.
"""
