"""A disk that loses its power: what nobody has waited for may be gone, or be there in part.

    python power.py FOLDER NUMBER SEED WORDS...

runs noisytheory with WORDS while the power of FOLDER fails at the NUMBER-th wait for the disk. What
is left is then FOLDER-left, and FOLDER-said has a line for each block that was finished by then.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Entries = dict[str, tuple[int, bool]]


class Disk:
    """What `os.fsync` has made last of a folder that was there before; the rest hangs in the air.

    Of a file its bytes at that moment, of a folder its names; neither brings the other with it.
    """

    def __init__(self, folder: Path, before: Callable[[], None] = lambda: None) -> None:
        self.folder, self.before = folder, before
        self._files: dict[int, bytes] = {}
        self._folders: dict[int, Entries] = {}
        # Who has a number of the system now: it gives those of the dead to others.
        self._holders: dict[int, int] = {}
        self._count = itertools.count()
        self._fsync, self._open, self._mkdir = os.fsync, os.open, os.mkdir

    def __enter__(self) -> Disk:
        os.fsync, os.open, os.mkdir = self.fsync, self.open, self.mkdir  # type: ignore[assignment]
        return self

    def __exit__(self, *exception: object) -> None:
        os.fsync, os.open, os.mkdir = self._fsync, self._open, self._mkdir

    def fsync(self, fd: int) -> None:
        """Have the disk know a file or a folder; just before, the power may fail."""
        self.before()
        path, holder = Path(f"/proc/self/fd/{fd}"), self._holder(os.fstat(fd).st_ino)
        if path.is_dir():
            self._folders[holder] = self._entries(path)
        else:
            self._files[holder] = path.read_bytes()

    def open(self, path: Any, flags: int, *given: Any, **named: Any) -> int:
        """Open as ever; of a new file nothing is known."""
        new = flags & os.O_CREAT and not os.path.lexists(path)
        fd = self._open(path, flags, *given, **named)
        if new:
            self._holders.pop(os.fstat(fd).st_ino, None)
        return fd

    def mkdir(self, path: Any, *given: Any, **named: Any) -> None:
        """Make a folder as ever; nothing is known of it."""
        self._mkdir(path, *given, **named)
        self._holders.pop(os.stat(path).st_ino, None)

    def left(self, target: Path, moments: random.Random | None = None) -> None:
        """What the disk has after a loss of power: what was waited for, or, by chance, more."""
        self._folder(self.folder, self._holder(self.folder.stat().st_ino), target, moments)

    def _folder(
        self, now: Path | None, holder: int, target: Path, moments: random.Random | None
    ) -> None:
        self._mkdir(target)
        names = self._folders.get(holder, {})
        here = self._entries(now) if now is not None else {}
        if moments is not None and now is not None and moments.random() < 0.5:
            names = here
        for name, (inside, is_folder) in names.items():
            # Under this name there may be something else by now.
            same = now / name if now is not None and here.get(name, (-1,))[0] == inside else None
            if is_folder:
                self._folder(same, inside, target / name, moments)
                continue
            data = self._files.get(inside, b"")
            if moments is not None and same is not None and moments.random() < 0.5:
                whole = same.read_bytes()
                least = len(data) if whole.startswith(data) else 0
                data = whole[: moments.randint(least, len(whole))]
            (target / name).write_bytes(data)

    def _entries(self, folder: Path) -> Entries:
        with os.scandir(folder) as found:
            return {
                e.name: (self._holder(e.inode()), e.is_dir(follow_symlinks=False)) for e in found
            }

    def _holder(self, inode: int) -> int:
        if inode not in self._holders:
            self._holders[inode] = next(self._count)
        return self._holders[inode]


def main(folder: Path, number: int, seed: int, words: list[str]) -> None:
    """Run noisytheory until the power fails, or to its end."""
    from noisytheory.__main__ import run
    from noisytheory.trial.store.blocks import ClaimBlocks

    said: list[str] = []
    waits, end = 0, os._exit  # the command line keeps its own from the claims

    def fail() -> None:
        nonlocal waits
        waits += 1
        if waits == number:
            disk.left(Path(f"{folder}-left"), random.Random(seed) if seed else None)
            Path(f"{folder}-said").write_text("".join(said))
            end(9)

    put = ClaimBlocks.put

    def told(self: ClaimBlocks, cell: int, block: int, *given: Any, **named: Any) -> Any:
        found = put(self, cell, block, *given, **named)
        said.append(f"{self.layout.claim} {cell} {block}\n")
        return found

    ClaimBlocks.put = told  # type: ignore[method-assign]
    sys.argv = ["noisytheory", *words]
    with Disk(folder, fail) as disk:
        run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
