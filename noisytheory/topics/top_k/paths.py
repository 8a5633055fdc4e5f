"""All k at one C: a few fits give the models of every k, as dual weights may be mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.topics.top_k.aggregate import average_top_k, tail_mass
from noisytheory.topics.top_k.individual import individual
from noisytheory.topics.top_k.kernel_dual import kernel_fit
from noisytheory.topics.top_k.minimise import fit, proven

__all__ = ["Path", "counts_of", "errors_of", "kernel_path", "path"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Path:
    """What k changes at one C.

    Parameters
    ----------
    k : array, shape (m,)
    objective, error : array, shape (m,)
        Of (3); errors of classification, or mean squares of regression, where they were asked for.
    coef : array, shape (m, d)
        With the intercept last if there is one.
    level : array, shape (m,)
    regime : tuple of str
    fits : int
        How many problems were solved; the other models are mixtures of theirs.
    gap : array, shape (m,)
        Proven relative duality gap of each.
    """

    k: NDArray[np.intp]
    objective: Floats
    error: Floats
    coef: Floats
    level: Floats
    regime: tuple[str, ...]
    fits: int
    gap: Floats


def path(
    X: Any, y: ArrayLike, loss: str = "logistic", *, ks: Sequence[float], C: float = 1.0,
    test: tuple[Any, ArrayLike] | None = None, intercept: bool = False, tol: float = 1e-3,
    start: Floats | None = None,
) -> Path:
    r"""What k changes: models for many k from a few fits, each with a gap that is proven.

    Between two fits coefficients and dual weights are mixed in proportion: mixtures of dual weights
    are feasible at the k between, so each mixture comes with its own gap. Where that is more than
    was asked for the middle k is fitted, from there on.

    Parameters
    ----------
    X, y, loss, C, intercept
        As in `fit`.
    ks : sequence of int or float
        Counts, or fractions in (0, 1].
    test : pair, optional
        Points and labels on which errors are counted; the sample itself by default.
    tol : float
        Relative duality gap at every k.
    start : array, shape (d,), optional
        Coefficients to begin with, the intercept last.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        On what `fit` refuses, or no k at all.

    Examples
    --------
    >>> found = path([[1.0], [1.0], [1.0], [-1.0]], [1, 1, -1, -1], "hinge", ks=[1, 3, 4])
    >>> found.regime, found.objective.round(4).tolist()
    (('zero', 'nu', 'C'), [0.25, 0.7188, 0.875])
    """
    kind = individual(loss)
    labels = np.asarray(y, float)
    if isinstance(X, list):
        X = np.asarray(X, float)
    points, answers = (X, labels) if test is None else (test[0], np.asarray(test[1], float))
    wanted = counts_of(ks, len(labels))
    walk = _Walk(X, labels, loss, C, intercept, tol)
    walk.start = start
    models = walk.over(wanted)
    coefs = np.array([model.coef for model in models])
    scores = points @ coefs[:, : coefs.shape[1] - intercept].T
    if intercept:
        scores = scores + coefs[:, -1]
    return Path(
        np.array(wanted), np.array([model.objective for model in models]),
        errors_of(kind.margin, answers, np.asarray(scores)), coefs,
        np.array([model.level for model in models]), tuple(model.regime for model in models),
        walk.fits, np.array([model.gap for model in models]),
    )


@dataclass(frozen=True)
class _Model:
    """A point of a path."""

    coef: Floats
    scores: Floats
    weights: Floats
    pushes: Floats
    objective: float
    gap: float
    level: float
    regime: str


class _Walk:
    """Fits at some k, mixtures between them."""

    def __init__(
        self, X: Any, labels: Floats, loss: str, C: float, intercept: bool, tol: float
    ) -> None:
        self.X, self.labels, self.loss, self.C = X, labels, loss, C
        self.intercept, self.tol = intercept, tol
        self.kind, self.n = individual(loss), len(labels)
        self.found: dict[int, _Model] = {}
        self.fits, self.zero_up_to = 0, 0
        self.start: Floats | None = None

    def over(self, wanted: list[int]) -> list[_Model]:
        """Models for all of these k."""
        bar = np.inf
        if self.loss == "hinge":
            whole = self.fitted(self.n)
            if whole.regime == "C":
                bar = self.n * float(whole.weights.sum()) * (1 + 1e-9)
        for k in wanted:
            if k >= bar:
                self.found[k] = self.same(self.found[self.n], k)
        below = [k for k in wanted if k < bar]
        if below:
            self.fitted(below[-1])
            self.fitted(below[0])
            self.fill(below)
        return [self.found[k] for k in wanted]

    def fitted(self, k: int) -> _Model:
        """The minimiser at k."""
        if k not in self.found:
            self.found[k] = self.solved(k)
            self.fits += 1
        return self.found[k]

    def solved(self, k: int) -> _Model:
        """Fitted afresh."""
        one = fit(self.X, self.labels, self.loss, k=k, C=self.C, intercept=self.intercept,
                  tol=min(0.3 * self.tol, 1e-4), start=self.start)
        if one.regime == "zero":
            self.zero_up_to = max(self.zero_up_to, k)
        else:
            self.start = np.append(one.coef, [one.intercept] * self.intercept)
        coef = np.append(one.coef, [one.intercept] * self.intercept)
        scores = one.scores(self.X)
        slopes = self.kind.slopes(self.labels, scores)
        if not self.kind.smooth and self.kind.margin:
            slopes = -self.labels
        return _Model(
            coef, scores, one.weights, one.weights * slopes, one.objective,
            one.gap / max(one.objective, 1e-300), one.level, one.regime)

    def ridge(self, model: _Model) -> float:
        """The regulariser."""
        own = model.coef[:-1] if self.intercept else model.coef
        return float(own @ own) / (2 * self.C)

    def same(self, model: _Model, k: int) -> _Model:
        """The same model at another k at which it is optimal too."""
        losses = self.kind.values(self.labels, model.scores)
        value = k / self.n * float(average_top_k(losses, k)) + self.ridge(model)
        return replace(model, objective=value, level=0.0)

    def fill(self, ks: list[int]) -> None:
        """Every k of the list, whose ends have been fitted."""
        inner = ks[1:-1]
        if not inner:
            return
        low, high = self.found[ks[0]], self.found[ks[-1]]
        for k in inner:
            model = self.mixed(low, high, (k - ks[0]) / (ks[-1] - ks[0]), k)
            if model.gap > self.tol:
                break
            self.found[k] = model
        else:
            return
        middle = len(ks) // 2
        for k in inner:
            self.found.pop(k, None)
        self.fitted(ks[middle])
        self.fill(ks[: middle + 1])
        self.fill(ks[middle:])

    def mixed(self, low: _Model, high: _Model, share: float, k: int) -> _Model:
        """A mixture, with the gap that its own weights prove."""
        nu = k / self.n
        if k <= self.zero_up_to and low.regime == "zero":
            # Weights that balance the rows do so at every smaller mass.
            value = nu * self.kind.at_zero
            zero = np.zeros_like(low.coef)
            return replace(low, coef=zero, scores=0 * low.scores, objective=value,
                           gap=low.gap, level=self.kind.at_zero)
        coef = (1 - share) * low.coef + share * high.coef
        scores = (1 - share) * low.scores + share * high.scores
        p = (1 - share) * low.weights + share * high.weights
        u = (1 - share) * low.pushes + share * high.pushes
        own = coef[:-1] if self.intercept else coef
        losses = self.kind.values(self.labels, scores)
        value = nu * float(average_top_k(losses, k)) + float(own @ own) / (2 * self.C)
        slopes = np.divide(u, p, out=np.zeros_like(u), where=p > 0)
        dual = proven(self.X, self.labels, self.kind, nu, self.C, p, slopes,
                      intercept=self.intercept)
        below = np.partition(losses, self.n - k)[self.n - k]
        size = max(abs(value), 1e-5 * nu * max(self.kind.at_zero, 1e-300), 1e-300)
        full = float(p.sum()) > nu * (1 - 1e-7)
        return replace(low, coef=coef, scores=scores, objective=value,
                       gap=(value - dual) / size,
                       level=float(below) if full else 0.0,
                       regime="nu" if full and k < self.n else "C")


class _KernelWalk(_Walk):
    """The same with dual coefficients in place of coefficients."""

    def __init__(
        self, gram: Floats, labels: Floats, C: float, regression: bool, tol: float
    ) -> None:
        super().__init__(gram, labels, "absolute" if regression else "hinge", C, False, tol)
        self.regression = regression

    def ridge(self, model: _Model) -> float:
        """The regulariser, from scores and dual coefficients."""
        return float(model.coef @ model.scores) / (2 * self.C)

    def solved(self, k: int) -> _Model:
        """A fit whose gap is small beside what the path promises."""
        nu, within, gap = k / self.n, 1e-2 * min(1.0, self.tol * 1e3), np.inf
        while True:
            one = kernel_fit(self.X, self.labels, nu=nu, C=self.C, regression=self.regression,
                             tol=within)
            gap = one.gap / max(one.objective, 1e-300)
            if gap <= 0.3 * self.tol or within < 1e-9:
                break
            within *= 0.1
        beta = one.dual_coef
        return _Model(beta, one.scores, np.abs(beta) / self.C, -beta / self.C, one.objective, gap,
                      one.level, one.regime)

    def mixed(self, low: _Model, high: _Model, share: float, k: int) -> _Model:
        """Both fits mixed: its objective at this k, and the dual value that proves its gap."""
        nu = k / self.n
        mixed = replace(
            low, coef=(1 - share) * low.coef + share * high.coef,
            scores=(1 - share) * low.scores + share * high.scores,
            weights=(1 - share) * low.weights + share * high.weights,
            pushes=(1 - share) * low.pushes + share * high.pushes)
        losses = self.kind.values(self.labels, mixed.scores)
        value = nu * float(average_top_k(losses, k)) + self.ridge(mixed)
        dual = -float(mixed.pushes @ self.labels) - self.ridge(mixed)
        full = float(mixed.weights.sum()) > nu * (1 - 1e-7)
        below = np.partition(losses, self.n - k)[self.n - k]
        return replace(mixed, objective=value, gap=(value - dual) / max(value, 1e-300),
                       level=float(below) if full else 0.0,
                       regime="nu" if full and k < self.n else "C")


def kernel_path(
    gram: Floats, y: ArrayLike, *, ks: Sequence[float], C: float, regression: bool = False,
    test: tuple[Floats, ArrayLike] | None = None, tol: float = 1e-3,
) -> Path:
    r"""The same for kernel machines: hinge loss, or absolute loss, through the dual.

    Parameters
    ----------
    gram : array, shape (n, n)
    y : array_like, shape (n,)
        1 or -1, or numbers.
    ks : sequence of int or float
    C : float
    regression : bool
    test : pair, optional
        Kernel of the points beside the sample, shape (m, n), and their labels.
    tol : float
        Relative duality gap at every k.

    Returns
    -------
    Path
        ``coef`` holds dual coefficients, shape (m, n).

    Examples
    --------
    >>> X = np.array([[1.0], [1.0], [1.0], [-1.0]])
    >>> kernel_path(X @ X.T, [1, 1, -1, -1], ks=[3, 4], C=1.0).objective.round(4).tolist()
    [0.7188, 0.875]
    """
    labels = np.asarray(y, float)
    wanted = counts_of(ks, len(labels))
    walk = _KernelWalk(gram, labels, C, regression, tol)
    models = walk.over(wanted)
    coefs = np.array([model.coef for model in models])
    rows, answers = (gram, labels) if test is None else (test[0], np.asarray(test[1], float))
    return Path(
        np.array(wanted), np.array([model.objective for model in models]),
        errors_of(not regression, answers, np.asarray(rows @ coefs.T)), coefs,
        np.array([model.level for model in models]), tuple(model.regime for model in models),
        walk.fits, np.array([model.gap for model in models]),
    )


def counts_of(ks: Sequence[float], n: int) -> list[int]:
    """Counts and fractions as counts, each once, in order."""
    wanted = sorted({max(1, round(tail_mass(k, n) * n)) for k in ks})
    if not wanted:
        raise ValueError("ks must hold a count or a fraction at least, got none")
    return wanted


def errors_of(margin: bool, answers: Floats, scores: Floats) -> Floats:
    """Share of wrong signs, where the sign of 0 is 1, or mean squares; a column a model."""
    if margin:
        return np.asarray((np.where(scores >= 0, 1.0, -1.0) != answers[:, None]).mean(axis=0))
    return np.asarray(((scores - answers[:, None]) ** 2).mean(axis=0))
