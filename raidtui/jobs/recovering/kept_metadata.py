"""Keep the beginning of the physical volumes of a group, and the version of its metadata that is restored; put them back.

The beginning has the label and the metadata area; a restore writes nowhere else.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from raidtui.backends.recovering import Recoverer
from raidtui.backends.registry import recoverers
from raidtui.jobs.blockdev import forget_cache
from raidtui.jobs.durable import make_folder, write_file
from raidtui.jobs.recovering.freeing import free
from raidtui.jobs.recovering.regions import KeptRegion, contents, read_index, save, write_back
from raidtui.jobs.recovering.trial import sources_of
from raidtui.model.errors import Refused
from raidtui.model.recovery import KEPT_FILE, KEPT_LINE, KEPT_VERSION, Source
from raidtui.model.struct import Bytes, Record, to_json
from raidtui.model.text import harmless

INDEX: Final = "metadata.json"


class KeptVolume(Record, frozen=True, kw_only=True):
    """A physical volume as it was."""

    path: str  # a stable one
    size_bytes: Bytes
    label: str  # its UUID after the restore, without dashes
    had_label: bool
    regions: tuple[KeptRegion, ...]


class KeptGroup(Record, frozen=True, kw_only=True):
    """The index of a folder."""

    uuid: str  # of the group
    volumes: tuple[KeptVolume, ...]


def keep_version(
    folder: Path, paths: Sequence[str], labels: Sequence[str], *, group: str, digest: str
) -> str:
    """Save the beginning of each physical volume in ``folder``, and the text of a version; return what was saved.

    Args:
        labels: the UUID of each, which one that has none is to get.
        group: its UUID.
        digest: SHA-256 of the text.

    Raises:
        Refused: a device is another physical volume, or the version is not there any more.
        StepFailed: one cannot be read.
    """
    if (folder / INDEX).exists():
        write_file(folder / KEPT_FILE, f"{KEPT_LINE}\n".encode())
        return f"the metadata is in {folder} already"
    asked, sources = _asked(), _sources(paths)
    heads = asked.heads(sources)
    for source, label in zip(sources, labels, strict=True):
        if heads[source.name].label not in {"", label.replace("-", "")}:
            raise Refused(f"{source.name} is not the physical volume that was tried")
    text = asked.version_text(sources, digest)
    make_folder(folder)
    volumes = tuple(
        KeptVolume(
            path=one.path,
            size_bytes=one.size_bytes,
            label=label.replace("-", ""),
            had_label=bool(heads[one.name].label),
            regions=save(folder, number, one.path, [(0, len(heads[one.name].content))]),
        )
        for number, (one, label) in enumerate(zip(sources, labels, strict=True))
    )
    write_file(folder / KEPT_VERSION, text.encode())
    # Written last: a folder without an index is incomplete.
    write_file(folder / INDEX, to_json(KeptGroup(uuid=group, volumes=volumes)).encode())
    write_file(folder / KEPT_FILE, f"{KEPT_LINE}\n".encode())
    return f"the metadata of {len(volumes)} physical volumes is in {folder}"


def put_metadata_back(folder: Path) -> str:
    """Deactivate the group and write the kept bytes back to every physical volume; return what was done.

    Raises:
        Refused: it is in use, a physical volume is another one or is not here, or what was kept is not complete.
        StepFailed: one cannot be written.
    """
    kept = read_index(folder, INDEX, KeptGroup)
    saved = {one.path: contents(folder, one.regions) for one in kept.volumes}
    asked, sources = _asked(), _sources([one.path for one in kept.volumes])
    heads = asked.heads(sources)
    for one, source in zip(kept.volumes, sources, strict=True):
        labels = {one.label} if one.had_label else {one.label, ""}
        if source.size_bytes != one.size_bytes or heads[source.name].label not in labels:
            raise Refused(f"{harmless(one.path)} is not the physical volume whose metadata was kept")
    free(sources, stop=True, release=(asked.release(kept.uuid),))
    for one in kept.volumes:
        write_back(one.path, saved[one.path])
    (folder / KEPT_FILE).unlink(missing_ok=True)
    return f"the metadata of {len(kept.volumes)} physical volumes is as it was"


def _asked() -> Recoverer:
    """The backend that has versions of metadata."""
    return next(one for one in recoverers().values() if one.versions)


def _sources(paths: Sequence[str]) -> tuple[Source, ...]:
    for path in paths:
        forget_cache(path)
    return sources_of({path: path for path in paths})
