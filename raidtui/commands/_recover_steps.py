"""What the steps of the plans of 'raidtui recover --for-real' run: keep what is written over, write it, put it back."""

import argparse
from pathlib import Path

from raidtui.commands.apply import words
from raidtui.model.errors import BadInput


def do_step(args: argparse.Namespace) -> str:
    """Do what one of --keep, --begin and --put-back says; return what was done."""
    return _keep(args) if args.keep else _begin(args) if args.begin else _put_back(Path(args.put_back))


def _keep(args: argparse.Namespace) -> str:
    """Keep what --for-real is about to write over: the first step of its plan."""
    from raidtui.jobs.recovering.kept_metadata import keep_version
    from raidtui.jobs.recovering.superblocks import keep

    folder, paths = Path(args.keep), words([args.disks])
    if args.version:
        return keep_version(folder, paths, words([args.labels]), group=args.group, digest=args.version)
    return keep(folder, paths)


def _begin(args: argparse.Namespace) -> str:
    """Write into superblocks at which sector the data begins: a later step of its plan."""
    from raidtui.jobs.recovering.superblocks import begin_at

    paths, sectors = words([args.disks]), words([args.begin])
    if len(paths) != len(sectors) or not all(one.isdecimal() for one in sectors):
        raise BadInput("--begin takes a sector for each of --disks")
    return begin_at(dict(zip(paths, map(int, sectors), strict=True)))


def _put_back(folder: Path) -> str:
    from raidtui.jobs.recovering import kept_metadata, superblocks

    is_group = (folder / kept_metadata.INDEX).exists()
    return kept_metadata.put_metadata_back(folder) if is_group else superblocks.put_back(folder)
