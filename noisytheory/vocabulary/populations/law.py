"""What every population is: a law over labelled instances, named and comparable by content."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisytheory.vocabulary.kernels import Kernel
from noisytheory.vocabulary.populations.atoms import Array

__all__ = ["Population"]


class Population(ABC):
    """A law over labelled instances: named, comparable, with a digest that names its content.

    Two populations are equal if class, name and digest agree.
    """

    name: str
    kernel: Kernel | None

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {attribute} cannot be set")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or self.name != other.name:
            return False
        return self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.name))

    def digest(self) -> str:
        """Name of the content: BLAKE2b over the defining numbers, 32 hexadecimal digits.

        Data that load on first use count by the loader's name and arguments, not by content, so
        that a digest never loads them.
        """
        hasher = hashlib.blake2b(digest_size=16)
        _feed(hasher, self._recipe())
        return hasher.hexdigest()

    @abstractmethod
    def _recipe(self) -> Any:
        """What defines the population."""

    @property
    def classes(self) -> int | None:
        """Number of classes; ``None`` where labels are -1 and 1."""
        return None

    @property
    @abstractmethod
    def norm(self) -> float:
        r"""RKHS norm of the mean, $\|\Phi(P)\|$."""

    @property
    @abstractmethod
    def power(self) -> float:
        r"""Mean squared norm of the features, $E\|\phi(x)\|^2$."""

    @property
    def variance(self) -> float:
        r"""$E\|y\phi(x)-\Phi(P)\|^2=E\|\phi(x)\|^2-\|\Phi(P)\|^2$; $n\,E L^2$ for any sample."""
        return max(0.0, self.power - self.norm**2)

    @abstractmethod
    def sample(self, n: int, *, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        """Points, shape (n, d), and labels, shape (n,), of ``n`` independent examples."""

    @abstractmethod
    def deviations(self, n: int, *, size: int, rng: np.random.Generator) -> Array:
        r"""$\|\Phi(P)-\Phi(S)\|$ for ``size`` independent samples $S\sim P^n$, shape (size,)."""


def _feed(hasher: Any, value: Any) -> None:
    """Hash a recipe: arrays by content, functions by name."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        hasher.update(f"array {value.dtype.str} {value.shape} ".encode())
        hasher.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, np.ndarray):
        hasher.update(f"objects {value.shape} {[str(v) for v in value.ravel()]} ".encode())
    elif is_dataclass(value) and not isinstance(value, type):
        hasher.update(f"{type(value).__qualname__}( ".encode())
        for field in fields(value):
            _feed(hasher, getattr(value, field.name))
        hasher.update(b") ")
    elif isinstance(value, tuple):
        for item in value:
            _feed(hasher, item)
    elif isinstance(value, np.generic):
        hasher.update(f"{value.item()!r} ".encode())
    elif callable(value):
        hasher.update(f"{value.__module__}.{value.__qualname__} ".encode())
    else:
        hasher.update(f"{value!r} ".encode())
