"""Files in the folder that `NOISYTHEORY_DATA` names: only claims and pages about them need any."""

from __future__ import annotations

import contextlib
import math
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.trial.catalogue import DATA
from noisytheory.trial.shown import named

__all__ = ["MNIST_ARRAYS", "data_file", "first_rows", "reading"]

MNIST_ARRAYS = "MNIST as arrays x_train, y_train, x_test, y_test"
"""What ``mnist.npz`` holds."""


def data_file(name: str) -> Path | None:
    """Where a file is, if it is there."""
    folder = os.environ.get(DATA)
    path = Path(folder or "") / name
    return path if folder and path.is_file() else None


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read: an OSError, for it is nobody's code."""
    try:
        yield
    except Exception as error:
        raise OSError(f"{path} cannot be read ({named(error)}): put a whole file there") from error


def first_rows(path: Path, name: str, rows: int | None = None) -> NDArray[Any]:
    """The first rows of an array in a ``.npz``, or all: what follows is not unpacked."""
    with reading(path), zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as file:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else (
            np.lib.format.read_array_header_2_0
        )
        shape, by_columns, dtype = header(file)
        if not by_columns:
            count = shape[0] if rows is None else min(rows, shape[0])
            found = file.read(count * math.prod(shape[1:]) * dtype.itemsize)
            return np.frombuffer(found, dtype).reshape(count, *shape[1:])
    with reading(path), np.load(path) as arrays:
        return np.asarray(arrays[name][:rows])
