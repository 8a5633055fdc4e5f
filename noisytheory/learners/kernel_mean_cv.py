r"""The mean classifier that chooses for itself, from noisy labels alone."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from noisytheory.learners.class_sums import class_sums
from noisytheory.learners.kernel_mean import (
    KernelLike,
    KernelMeanClassifier,
    named_sparse,
    one_class,
    warn_of_scales,
)
from noisytheory.learners.noise_rates import warn_of_rates
from noisytheory.learners.probabilities import fit_slope, powers, softmax
from noisytheory.learners.tiles import Floats, Points, default_bandwidth, diagonal
from noisytheory.topics.label_noise.choice.leave_one_out import Choice, ClassWeight, choose, decide
from noisytheory.vocabulary.confusion import Orientation
from noisytheory.vocabulary.domains import NONNEGATIVE
from noisytheory.vocabulary.kernels import Gaussian, Laplace
from noisytheory.vocabulary.threads import one_thread_each

__all__ = ["KernelMeanClassifierCV", "all_take_sparse", "checked_kernels"]

FACTORS = tuple(2.0 ** (step / 2) for step in range(-8, 3))
"""Of the default bandwidth, the bandwidths that are tried: each squared is half the next."""


class KernelMeanClassifierCV(KernelMeanClassifier):
    r"""The mean classifier with kernel, class weights and threshold chosen on its noisy labels.

    The score of $x_i$ without itself is its score less its own term, so leaving each example out
    in turn costs one pass over the pairs for all bandwidths together, $O(n^2d)$. The 0-1 risk on
    labels that are flipped at one rate, known or not, is increasing and affine in the risk on
    clean ones; where two rates, or a confusion matrix, are given, the risk is corrected for them.

    Parameters
    ----------
    kernels : sequence of kernels, optional
        As `KernelMeanClassifier` takes them, from the most to the least intricate.
    bandwidths : sequence of float, optional
        Of Gaussian kernels, in place of ``kernels``. Without either, eleven from 1/16 of the
        default bandwidth $h=\sqrt{dv/2}$ to twice it, by factors of $\sqrt2$; $v$ is the variance
        over all coordinates, so that $2h$ is the root mean square of distances. Where few
        features hold what matters, or features differ in scale, that is far too wide: scale them.
    class_weights : sequence of "balanced" or None
        Whether the means of the classes count alike, or by their examples; tried in turn. Alike
        alone by default: over ten sets, among more candidates noise chooses worse
        (``validation/noisy_choice.md``). Where classes are of uneven sizes and it is the share of
        right predictions that counts, try ``("balanced", None)``, at next to no cost.
    thresholds : sequence of bool
        Whether scores of two classes are cut at 0 or where leave-one-out risk is least; tried in
        turn. A threshold's risk is measured on examples that had no part in choosing it.
    risk : {"error", "balanced"}
        Share of wrong predictions, or its mean over the classes. Where two classes have unlike
        rates that are not known, only the second is affine in the risk on clean labels: take it
        there. With like rates the first is known to less noise where one class is rarer.
    standard_errors : float
        Take the last (widest) kernel whose risk is above the least one by no more than so many
        standard errors of the difference; at least 0. Half of one by default: it costs next to
        nothing where few labels are wrong, and is worth almost a point of accuracy where 40% are.
    normalise : bool or "largest"
        As in `KernelMeanClassifier`.
    noise_rate : float, pair of floats, or array or table of shape (k, k), optional
    orientation : {"column", "row"}, optional
        Both as in `KernelMeanClassifier`. None if not known.
    frequencies : bool
        Whether ``sample_weight`` counts examples that are alike, drawn apart from each other: then
        one of them is left out at a time, and the others vouch for it. Otherwise weights say how
        much an example matters, whatever their unit, and it is left out whole.

    Attributes
    ----------
    best_params_ : dict
        ``kernel``, ``class_weight``, ``threshold`` (a number).
    best_index_ : tuple of int
        Where they stand in the path.
    best_score_ : float
        1 minus the corrected risk of the chosen candidate. The least of many: a little too good.
    kernels_ : list
        All that were tried.
    risks_, standard_errors_ : array, shape (kernels, class weights, thresholds)
        The path: corrected leave-one-out risk, and what it is known to.
    threshold_ : float
        What `decision_function` subtracts.
    classes_, kernel_, weights_, n_features_in_
        As of `KernelMeanClassifier`; weights are those of the chosen class weights.

    Warns
    -----
    UserWarning
        If nearly all examples of every class, each left out in turn, get one class, if features
        have very different scales, or if ``noise_rate`` is higher than the labels allow: see the
        notes.

    Notes
    -----
    Whatever is predicted, a noisy label differs from it as often as the noise alone makes it, at
    one rate with that rate. Where fewer differ from the leave-one-out predictions, but for a chance
    of .001 of a binomial variable, the rates are said to be too high. Predictions depend on each
    other's labels and the model is chosen for its few errors, so that the chance is not exact: of
    14,000 fits with their true rates .06 per cent were warned, with both class weights and
    thresholds tried .24 (``validation/rate_doubts.md``).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> noisy = y ^ (rng.random(400) < 0.2)
    >>> model = KernelMeanClassifierCV().fit(X, noisy)
    >>> round(model.best_params_["kernel"].bandwidth, 3), model.score(X, y)
    (0.203, 0.97)
    """

    def __init__(
        self,
        kernels: Sequence[KernelLike] | None = None,
        *,
        bandwidths: Sequence[float] | None = None,
        class_weights: Sequence[ClassWeight] = ("balanced",),
        thresholds: Sequence[bool] = (False,),
        risk: Literal["error", "balanced"] = "error",
        standard_errors: float = 0.5,
        normalise: bool | Literal["largest"] = False,
        noise_rate: float | tuple[float, float] | ArrayLike | None = None,
        orientation: Orientation | None = None,
        frequencies: bool = False,
    ) -> None:
        self.kernels = kernels
        self.bandwidths = bandwidths
        self.class_weights = class_weights
        self.thresholds = thresholds
        self.risk = risk
        self.standard_errors = standard_errors
        self.normalise = normalise
        self.noise_rate = noise_rate
        self.orientation = orientation
        self.frequencies = frequencies

    def __sklearn_tags__(self) -> Any:
        """Sparse rows are taken where every kernel takes them."""
        tags = super(KernelMeanClassifier, self).__sklearn_tags__()
        tags.input_tags.sparse = all_take_sparse(self.kernels)
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> KernelMeanClassifierCV:
        """Choose, and keep the sample.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, d)
        y : array-like, shape (n,)
            Noisy labels.
        sample_weight : array-like, shape (n,), optional
            At least 0, and not 0 on all of a class; whole numbers if they are ``frequencies``.

        Returns
        -------
        KernelMeanClassifierCV

        Raises
        ------
        ValueError
            On bad input, or a parameter out of its range.
        """
        self._check_options()
        points, codes, weights = self._sampled(X, y, sample_weight)
        count = len(self.classes_)
        with one_thread_each() as workers:
            bounded = [self._bounded(points, weights, k) for k in self._tried(points, weights)]
            self.kernels_ = [kernel for kernel, _ in bounded]
            if any(isinstance(kernel, Gaussian | Laplace) for kernel in self.kernels_):
                warn_of_scales(points, weights)
            sums = class_sums(self.kernels_, points, codes, weights, workers)
            seen, shares = codes, weights
            if self.frequencies and sample_weight is not None:
                counts = _counts(sample_weight)
                for kernel, own in zip(self.kernels_, sums, strict=True):
                    # All copies but the one that is left out.
                    own[np.arange(len(codes)), codes] += (
                        np.maximum(counts - 1, 0) / counts.sum() * diagonal(kernel, points)
                    )
                sums, seen = np.repeat(sums, counts, axis=1), np.repeat(codes, counts)
                shares = np.full(len(seen), 1 / len(seen))
            sums /= np.array([scale for _, scale in bounded])[:, None, None]
            confusion = self._confusion()
            found = choose(
                sums, seen, shares, confusion,
                class_weights=self.class_weights,
                thresholds=self.thresholds if count == 2 else (False,),
                risk=self.risk, standard_errors=self.standard_errors,
            )
            del sums
            self._take(found, seen, shares, confusion, workers)
            if self.best_params_["class_weight"] is not None:
                weights = weights / (count * np.bincount(codes, weights)[codes])
            self._keep(points, codes, weights, *bounded[found.best[0]])
        return self

    def _check_options(self) -> None:
        for name, allowed in (("class_weights", (None, "balanced")), ("thresholds", (False, True))):
            given = getattr(self, name)
            good = isinstance(given, Sequence) and not isinstance(given, str) and len(given)
            if not good or any(one not in allowed for one in given):
                raise ValueError(
                    f"{name} must be a sequence of {' or '.join(map(repr, allowed))}, got {given!r}"
                )
        if self.risk not in ("error", "balanced"):
            raise ValueError(f"risk must be 'error' or 'balanced', got {self.risk!r}")
        NONNEGATIVE.check("standard_errors", self.standard_errors)
        if self.kernels is not None and self.bandwidths is not None:
            raise ValueError("kernels or bandwidths, not both")

    def _tried(self, points: Points, weights: Floats) -> Sequence[KernelLike]:
        if self.kernels is None:
            bandwidths: Any = self.bandwidths
            if bandwidths is None:
                bandwidths = np.array(FACTORS) * default_bandwidth(points, weights)
            if np.ndim(bandwidths) != 1 or not len(bandwidths):
                raise ValueError(f"bandwidths must be a sequence of numbers, got {bandwidths!r}")
            return [Gaussian(float(bandwidth)) for bandwidth in sorted(bandwidths)]
        return checked_kernels(self.kernels)

    def _take(
        self, found: Choice, codes: NDArray[np.intp], weights: Floats, confusion: Floats | None,
        workers: int,
    ) -> None:
        """What a choice says, and probabilities from its scores."""
        self.risks_, self.standard_errors_ = found.risks, found.standard_errors
        self.best_index_, self.threshold_ = found.best, found.threshold
        self.best_score_ = float(1 - found.risks[found.best])
        self.best_params_ = {
            "kernel": self.kernels_[found.best[0]],
            "class_weight": self.class_weights[found.best[1]],
            "threshold": found.threshold,
        }
        values = found.scores
        if len(self.classes_) == 2:
            values = _columns(values[:, 1] - values[:, 0] - found.threshold)
        self._slope, self._power = fit_slope(values, codes, weights, confusion, workers)
        predicted = decide(found.scores, found.threshold)
        if confusion is not None:
            counted = weights > 0
            warn_of_rates(predicted[counted], codes[counted], confusion, level=4)
        one = one_class(predicted, codes, len(self.classes_))
        if one is not None and len(codes) > 2:
            warnings.warn(
                "examples of every class, left out in turn, are predicted as "
                f"{self.classes_[one]}: "
                "labels may be too noisy, one class too rare, or the kernels unfit; try "
                "KernelMeanClassifierCV with risk='balanced' or balanced class weights, narrower "
                "kernels, or features of one scale",
                UserWarning, stacklevel=3,
            )

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores, of two classes less the threshold, see `KernelMeanClassifier`.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (m, d)

        Returns
        -------
        array, shape (m,), or (m, k) with more than two classes
        """
        scores = super().decision_function(X)
        return scores - self.threshold_ if scores.ndim == 1 else scores

    def predict_proba(self, X: ArrayLike) -> Floats:
        r"""Probabilities of the classes, clean ones where the rates are known.

        A softmax of a power of the scores, $s\,\mathrm{sign}(f_c)|f_c|^\gamma$, where $s$ and
        $\gamma$ make the labels likeliest, each left out in turn, but for a small penalty of $s^2$;
        with rates, the noisy labels that they make of it. The likeliest class is the one that is
        predicted, so that with ``risk="balanced"`` or balanced class weights, the default, the
        probabilities are those of classes of one size.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (m, d)

        Returns
        -------
        array, shape (m, k)
        """
        values = self.decision_function(X)
        return softmax(self._slope * powers(_columns(values), self._power))

    def plot_path(self, ax: Any = None) -> Any:
        """Risks of the path with their standard errors, a line for each way to weigh and to cut.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        Axes
        """
        check_is_fitted(self)
        from matplotlib.ticker import LogLocator, NullFormatter

        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(layout="constrained")[1]
        wide = all(isinstance(kernel, Gaussian) for kernel in self.kernels_)
        places = np.array(
            [k.bandwidth for k in self.kernels_] if wide else np.arange(len(self.kernels_)), float
        )
        two = len(self.classes_) == 2
        styles = zip("os^v", ("-", "--", "-.", ":"), strict=True)
        for where in np.ndindex(self.risks_.shape[1:]):
            marker, line = next(styles)
            named = "balanced classes" if self.class_weights[where[0]] else "classes as they are"
            cut = ", threshold" if two and self.thresholds[where[1]] else ""
            ax.errorbar(
                places, self.risks_[:, *where], self.standard_errors_[:, *where],
                marker=marker, linestyle=line, capsize=2, label=named + cut,
            )
        ax.plot(places[self.best_index_[0]], self.risks_[self.best_index_], "k*", ms=14,
                label="chosen", zorder=3)
        ax.set(
            xlabel="bandwidth" if wide else "kernel",
            ylabel="leave-one-out risk" + (", corrected" if self.noise_rate is not None else ""),
            xscale="log" if wide else "linear",
        )
        if wide:
            # Bandwidths rarely span a power of ten.
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter(NullFormatter())
        else:
            ax.set_xticks(places, [_short(kernel) for kernel in self.kernels_])
        ax.legend()
        return ax


def _short(kernel: KernelLike) -> str:
    """A kernel as a tick names it."""
    return kernel if isinstance(kernel, str) else getattr(kernel, "__name__", repr(kernel))


def _counts(sample_weight: ArrayLike) -> NDArray[np.intp]:
    """Weights that are whole numbers."""
    given = np.asarray(sample_weight, dtype=float)
    counts = given.astype(np.intp)
    if (counts != given).any():
        raise ValueError(
            "sample_weight must hold whole numbers with frequencies=True, got "
            f"{given[counts != given][0]:g}"
        )
    return counts


def checked_kernels(kernels: Any) -> Sequence[KernelLike]:
    """A sequence, not empty."""
    if isinstance(kernels, str) or not isinstance(kernels, Sequence) or not kernels:
        raise ValueError(f"kernels must be a sequence that is not empty, got {kernels!r}")
    return kernels


def all_take_sparse(kernels: Any) -> bool:
    """Whether every kernel takes sparse rows, as the default ones do."""
    return kernels is None or (isinstance(kernels, Sequence) and all(map(named_sparse, kernels)))


def _columns(values: Floats) -> Floats:
    """A score a class, from the difference of two or from those of each class against the rest."""
    if values.ndim == 1:
        return np.column_stack([-values / 2, values / 2])
    total = values.sum(axis=1, keepdims=True) / (2 - values.shape[1])
    return np.asarray((values + total) / 2)
