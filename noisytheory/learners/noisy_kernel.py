r"""Learn from repeated noisy measurements of each instance, and predict for clean ones.

scikit-learn is imported here, nowhere else in the topic.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from noisytheory.learners.off_centre import warn_off_centre
from noisytheory.learners.seeds import checked_state
from noisytheory.topics.online.bounds import ABOVE_1, inadmissible, label_bound
from noisytheory.topics.online.comparator import regret_of
from noisytheory.topics.online.copied_kernels import squared_norm
from noisytheory.topics.online.degrees import DegreeLaw, Fixed, Geometric
from noisytheory.topics.online.descent import (
    Descent,
    Rule,
    Tape,
    descend,
    draw_tape,
    scores_over_time,
)
from noisytheory.topics.online.expansion import Expansion
from noisytheory.topics.online.maps import RecordedCopies, Scheme, Source
from noisytheory.topics.online.planning import (
    best_p,
    importance_laws,
    second_moments,
)
from noisytheory.topics.online.printed import FORMS
from noisytheory.topics.online.prospects import copies_needed
from noisytheory.topics.online.regrets.bounds import (
    any_step_regret,
    horizon_free_regret,
    promised_regret,
)
from noisytheory.vocabulary.analytic import (
    AffineLoss,
    AnalyticLoss,
    ExponentialLoss,
    SmoothedAbsolute,
    SmoothedHinge,
    SquaredLoss,
)
from noisytheory.vocabulary.domains import COUNT, POSITIVE, one_of
from noisytheory.vocabulary.dot_products import (
    DotProduct,
    ExponentialProduct,
    GaussianProduct,
    InhomogeneousProduct,
    LinearProduct,
)
from noisytheory.vocabulary.threads import on_one_thread

__all__ = ["NoisyKernelClassifier", "NoisyKernelRegressor"]

Floats = NDArray[np.float64]

KERNELS: dict[str, DotProduct] = {
    "linear": LinearProduct(),
    "affine": InhomogeneousProduct(1),
    "quadratic": InhomogeneousProduct(2),
    "cubic": InhomogeneousProduct(3),
    "exponential": ExponentialProduct(),
    "gaussian": GaussianProduct(1.0),
}
CLASSIFICATION: dict[str, AnalyticLoss] = {
    "squared": SquaredLoss(1.0),
    "exponential": ExponentialLoss(),
    "smoothed hinge": SmoothedHinge(0.5),
    "smoothed absolute": SmoothedAbsolute(0.5, "classification", centre=1.0),
    "linear": AffineLoss(-1.0),
}
REGRESSION: dict[str, AnalyticLoss] = {
    "squared": SquaredLoss(0.0, "regression"),
    "smoothed absolute": SmoothedAbsolute(0.5),
}


class _Repeated:
    """A round's only copy, given as often as it is asked for: instances without noise."""

    def __init__(self, x: Floats) -> None:
        self.x = x

    def take(self, rounds: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Copies of the instances of these rounds."""
        return self.x[rounds]


def _listed(x: Any) -> Any:
    """Nested lists of copies as an array; anything else as it came."""
    if not isinstance(x, list | tuple):
        return x
    try:
        made = np.asarray(x)
    except ValueError:
        raise ValueError(
            "X must have shape (n, copies, d), as many copies of each instance, or (n, d); "
            "got lists of different lengths"
        ) from None
    return made if made.ndim > 2 else x


class _NoisyKernel(BaseEstimator, ABC):  # type: ignore[misc]
    """What both learners share."""

    _form: str
    _losses: dict[str, AnalyticLoss]

    def __init__(
        self,
        kernel: str | DotProduct = "affine",
        loss: str | AnalyticLoss = "squared",
        *,
        Bw: float = 10.0,
        p: float | Literal["best", "importance"] | None = None,
        coupled: bool = True,
        copies: int = 1,
        step: float | Literal["adaptive", "theory"] = "adaptive",
        Bx: float | None = None,
        By: float | None = None,
        clip: float | None = None,
        cap: Literal["error", "skip"] = "error",
        average: bool = True,
        projection: Literal["repaired", "printed"] = "repaired",
        gradient: Literal["repaired", "printed"] = "repaired",
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.Bw = Bw
        self.p = p
        self.coupled = coupled
        self.copies = copies
        self.step = step
        self.Bx = Bx
        self.By = By
        self.clip = clip
        self.cap = cap
        self.average = average
        self.projection = projection
        self.gradient = gradient
        self.random_state = random_state

    @abstractmethod
    def _labelled(self, y: NDArray[Any]) -> float | None:
        """Learn what classes there are, or give a bound on the labels' size."""

    @abstractmethod
    def _targets(self, y: NDArray[Any]) -> list[Floats]:
        """Labels of each predictor that is learnt."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = False
        return tags

    def _prepare(
        self, x: ArrayLike, y: Any, reset: bool
    ) -> tuple[Any, NDArray[Any], Any, int | None]:
        """The source of copies, the labels, mean squared norms of instances, copies there are."""
        source, y, squares, available = self._read(x, y, reset)
        if self.Bx is not None:
            # A mean of copies may be above by chance, by few standard errors.
            least = np.max(squares)
            if available:
                least = np.mean(squares) - 6 * np.std(squares) / math.sqrt(len(squares))
            if least > POSITIVE.number("Bx", self.Bx) * (1 + 1e-9):
                raise ValueError(
                    f"Bx must bound the mean square of every instance's copies, got {self.Bx:g} "
                    f"where that is {np.max(squares):.6g}"
                    + (f" (of means of {self.copies})" if self._count() > 1 else "")
                )
        return source, y, squares, available

    def _read(
        self, x: ArrayLike, y: Any, reset: bool
    ) -> tuple[Any, NDArray[Any], Any, int | None]:
        """The same, before they are held against Bx."""
        # Arrays and frames have a `take` as well, and frames an `x` where a column is called so.
        if hasattr(x, "take") and not hasattr(x, "__array__"):
            return self._prepare_oracle(x, y, reset)
        array: Any = _listed(x)
        if getattr(array, "ndim", 2) > 3:
            raise ValueError(f"X must have shape (n, copies, d) or (n, d), got {array.shape}")
        if getattr(array, "ndim", 2) == 3:
            array = np.asarray(array)
            rounds, copies, d = array.shape
            if copies == 0:
                raise ValueError("X must have a copy of each instance, got none")
            flat = validate_data(
                self, array.reshape(rounds * copies, d), reset=reset, dtype=np.float64
            )
            _, y = validate_data(
                self, flat[::copies], y, reset=False, y_numeric=self._form == "regression"
            )
            array = flat.reshape(rounds, copies, d)
            return RecordedCopies(array), y, self._squares(array), copies
        array, y = validate_data(
            self, array, y, reset=reset, dtype=np.float64, y_numeric=self._form == "regression"
        )
        return _Repeated(array), y, np.square(array).sum(axis=1), None

    def _prepare_oracle(
        self, oracle: Any, y: Any, reset: bool
    ) -> tuple[Any, NDArray[Any], Any, None]:
        """The same of an oracle: `take` is all it needs where `Bx` is given."""
        noise = getattr(getattr(oracle, "noise", None), "variance", None)
        clean = getattr(oracle, "x", None)
        if self.Bx is None and (noise is None or clean is None):
            raise TypeError(
                "Bx must be given, or X must be an oracle with `x`, the clean instances, and "
                "`noise.variance`, which together bound the mean squares of its copies"
            )
        numeric = self._form == "regression"
        if clean is None:
            # Rounds are counted by the labels, features by the first answer.
            if reset and hasattr(self, "n_features_in_"):
                del self.n_features_in_
            y = validate_data(self, y=y, reset=False, y_numeric=numeric)
            return oracle, y, np.full(len(y), self.Bx), None
        clean, y = validate_data(self, np.asarray(clean, float), y, reset=reset, y_numeric=numeric)
        return oracle, y, np.square(clean).sum(axis=1) + (noise or 0.0) / self._count(), None

    def _squares(self, copies: Floats) -> Floats:
        """Mean square of a factor of each instance: of a copy, or of the mean of so many."""
        squares = np.square(copies).sum(axis=2).mean(axis=1)
        if self._count() == 1 or copies.shape[1] == 1:
            return np.asarray(squares)
        # Averaging leaves the instance's own square, and a share of the noise's.
        own = squared_norm(copies)
        return np.asarray(own + (squares - own) / self._count())

    def _resolve(self, squares: Floats, By: float | None) -> None:
        """Names become objects, and the theory's constants numbers, or an error says why not."""
        kernel = KERNELS.get(self.kernel) if isinstance(self.kernel, str) else self.kernel
        if not isinstance(kernel, DotProduct):
            raise ValueError(
                f"kernel must be one of {', '.join(KERNELS)} or a DotProduct, got {self.kernel!r}"
            )
        loss = self._losses.get(self.loss) if isinstance(self.loss, str) else self.loss
        if not isinstance(loss, AnalyticLoss) or loss.form != self._form:
            raise ValueError(
                f"loss must be one of {', '.join(self._losses)} or an AnalyticLoss for "
                f"{self._form}, got {self.loss!r}"
            )
        if self._form == "classification" and not loss.slope(0.0) < 0:
            raise ValueError(
                "loss must fall at 0, the margin that learning starts from, got "
                f"{loss.name}: nothing would be learnt"
            )
        POSITIVE.number("Bw", self.Bw)
        for name, value, allowed in (
            ("cap", self.cap, ("error", "skip")),
            ("projection", self.projection, FORMS),
            ("gradient", self.gradient, FORMS),
            ("coupled", self.coupled, (True, False)),
            ("average", self.average, (True, False)),
        ):
            one_of(name, value, allowed)
        if isinstance(self.step, str):
            one_of("step", self.step, ["adaptive", "theory"])
        else:
            POSITIVE.number("step", self.step)
        Bx = float(squares.max()) if self.Bx is None else POSITIVE.number("Bx", self.Bx)
        if self.step == "theory":
            label_bound(self.By, loss)
        self.kernel_, self.loss_, self.Bx_, self._By = kernel, loss, Bx, By or 0.0
        if self.p == "importance":
            best = importance_laws(float(self.Bw), Bx, kernel, loss, By or 0.0)
            self.p_, self.Bpsi_, self.Bg_ = None, best.Bpsi, best.Bg
            self._law, self._coupled = best.lengths, False
            self._scheme = Scheme(
                kernel, best.maps, copies=self._count(), exponent=best.envelope
            )
            return
        if self.p is None:
            copies_needed(kernel, loss)
            p = None
        elif self.p == "best":
            p = best_p(self.Bw, Bx, kernel, loss, By or 0.0)
        elif isinstance(self.p, str):
            raise ValueError(f"p must be best, importance, None or a number > 1, got {self.p!r}")
        else:
            p = ABOVE_1.number("p", self.p)
        Bpsi, Bg = second_moments(p, self.Bw, Bx, kernel, loss, By or 0.0, coupled=self.coupled)
        if not math.isfinite(Bpsi) or (not math.isfinite(Bg) and self.step == "theory"):
            raise ValueError(inadmissible(
                p, self.Bw, Bx, kernel, loss, By or 0.0, coupled=bool(self.coupled),
                # The kernel's alone, where it alone is needed.
                needed=loss if self.step == "theory" else AffineLoss(),
            ))
        if not math.isfinite(Bg) and self.clip is None:
            why = inadmissible(
                p, self.Bw, Bx, kernel, loss, By or 0.0, coupled=bool(self.coupled)
            )
            warnings.warn(
                f"no regret bound holds: {why}; gradient estimates may have no finite second "
                "moment, unless you clip",
                ConvergenceWarning, stacklevel=3,
            )
        law: DegreeLaw = Fixed(loss.degree or 0) if p is None else Geometric(p)
        maps: DegreeLaw = Fixed(kernel.degree or 0) if p is None else Geometric(p)
        self.p_, self.Bpsi_, self.Bg_ = p, Bpsi, Bg
        self._law, self._coupled = law, p is None or bool(self.coupled)
        self._scheme = Scheme(kernel, maps, coupled=self._coupled, copies=self._count())

    def _count(self) -> int:
        """Copies a factor is the mean of."""
        return int(COUNT.number("copies", self.copies))

    def _grow(self, squares: Floats, By: float) -> None:
        """What was read off the data for want of a bound grows with it, and the constants do."""
        Bx = self.Bx_ if self.Bx is not None else max(self.Bx_, float(squares.max()))
        By = max(self._By, By)
        if (Bx, By) == (self.Bx_, self._By):
            return
        if self.step == "theory" or self.p == "importance":
            # The step or the degrees were chosen for smaller ones: nothing is promised.
            self._outgrown = True
            return
        self.Bx_, self._By = Bx, By
        self.Bpsi_, self.Bg_ = second_moments(
            self.p_, self.Bw, Bx, self.kernel_, self.loss_, By, coupled=self._coupled
        )

    def _rule(self, horizon: int | None) -> Rule:
        eta = math.sqrt(self.Bw / (self.Bg_ * self.Bpsi_)) if self.step == "theory" else 1.0
        if not isinstance(self.step, str):
            eta = float(self.step)
        return Rule(
            float(self.Bw), eta, T=horizon, adaptive=self.step == "adaptive",
            clip=math.inf if self.clip is None else self.clip,
            projection=self.projection, gradient=self.gradient, coupled=self._coupled,
        )

    def _learn(
        self, source: Source, targets: list[Floats], available: int | None, horizon: int | None
    ) -> None:
        """One pass, the same tape for every target."""
        seed = check_random_state(
            self._random if hasattr(self, "_random") else checked_state(self.random_state)
        )
        rng = np.random.default_rng(seed.randint(2**31 - 1))
        tape: Tape = draw_tape(
            len(targets[0]), self._scheme, self._law, source, rng=rng, available=available,
            cap=self.cap,
        )
        rule = self._rule(horizon)
        d: int = tape.maps.vectors.shape[1]
        known: int = getattr(self, "n_features_in_", d)
        if d != known:
            raise ValueError(f"X must give copies with {known} features, as before, got {d}")
        self.n_features_in_ = d
        runs: list[Descent] = getattr(self, "_runs", [])
        if not runs:
            runs = [Descent(Expansion(self._scheme, d)) for _ in targets]
        for run, y in zip(runs, targets, strict=True):
            descend(tape, y, self._scheme, self.loss_, self._law, rule, run=run)
        self._runs, self._open = runs, horizon is None
        self._averages = [run.averaged() for run in runs] if self.average else None
        self.queries_ = np.asarray(runs[0].queries)
        self.skipped_ = getattr(self, "skipped_", 0) + int(tape.skipped.sum())
        self.n_rounds_ = runs[0].T

    def _clean(self, x: ArrayLike) -> Floats:
        check_is_fitted(self, "_runs")
        array: Any = _listed(x)
        if getattr(array, "ndim", 2) == 3:
            raise ValueError(f"X must have shape (n, d), the clean instances, got {array.shape}")
        points: Floats = validate_data(self, x, reset=False, dtype=np.float64)
        return points

    @on_one_thread
    def _scores(self, x: ArrayLike) -> Floats:
        points = self._clean(x)
        return np.stack([
            run.expansion.predict(points, self._averages[i] if self._averages else None)
            for i, run in enumerate(self._runs)
        ])

    def fit(self, X: ArrayLike, y: Any) -> Self:
        """Learn from scratch in one pass.

        Parameters
        ----------
        X : array, shape (n, copies, d) or (n, d), or an oracle
        y : array, shape (n,)

        Returns
        -------
        self
        """
        self._forget()
        source, y, squares, available = self._prepare(X, y, True)
        self._resolve(squares, self._labelled(y))
        self._learn(source, self._targets(y), available, len(y))
        if self._form == "regression":
            warn_off_centre(y, learner=self, level=3)
        return self

    def regret_bound(self) -> float:
        r"""What the theory promises of the expected regret after the rounds so far.

        $\sqrt{B_wB_gB_\Psi T}$ of the estimators in use, times $2\sqrt2$ for the adaptive step, and
        times 3 for the theory's after `partial_fit`, whose horizon is unknown:
        `nt.online.promised_regret`. A step that is a number has what
        `nt.online.any_step_regret` says of it, after `partial_fit` `horizon_free_regret`.
        Of more than two classes it holds for each class's regret, not for the largest of them.
        With clipped gradients, skipped rounds or a printed form there is no promise, and this is
        infinite; where
        `Bx` was not given it rests on the largest mean square of an instance's copies, an estimate.
        With `copies` averaged into each factor it is the bound of averaged ones: what stands for a
        copy's mean square there and in `Bx_` is that of their mean.
        Infinite also where later parts go beyond what the theory's step or the importance degrees
        were chosen for: give `Bx` and `By` then; and where a second moment, `Bg_` or `Bpsi_`, is.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the loss is of a residual and `By` was not given.
        """
        check_is_fitted(self, "_runs")
        label_bound(self.By, self.loss_)
        if self.clip is not None or self.skipped_:
            return math.inf
        if "printed" in (self.projection, self.gradient) or hasattr(self, "_outgrown"):
            return math.inf
        if not (math.isfinite(self.Bg_) and math.isfinite(self.Bpsi_)):
            return math.inf
        with np.errstate(over="ignore"):
            # Steps that fall without a horizon have the same bound from fit's on.
            if not isinstance(self.step, str):
                of_step = horizon_free_regret if self._open else any_step_regret
                G = math.sqrt(self.Bg_ * self.Bpsi_)
                return float(of_step(self.n_rounds_, self.Bw, G, float(self.step)))
            step = "no horizon" if self.step == "theory" and self._open else self.step
            return float(promised_regret(self.n_rounds_, self.Bw, self.Bg_, self.Bpsi_, step))

    def regret(self, X: ArrayLike, y: Any) -> float | Floats:
        """Realised regret on the clean instances of all rounds so far, in order.

        Parameters
        ----------
        X : array, shape (n, d)
        y : array, shape (n,)

        Returns
        -------
        float, or array, shape (classes,)
            Of more than two classes one for each, against all others.

        Notes
        -----
        The best predictor of the ball is sought among all features of the T clean instances: in
        $O(T)$ a step, and memory for T r numbers, where these span few dimensions r, at most 1,000
        and T/16; else in $O(T^2)$, with the T x T matrix (seconds and .6 GB for 5,000 rounds of the
        exponential kernel in 20 dimensions). Steps do not become more as T grows.
        """
        clean, targets = self._clean(X), self._targets(np.asarray(y))
        if not len(clean) == len(targets[0]) == self.n_rounds_:
            raise ValueError(
                f"X and y must have the clean instance and the label of each of the "
                f"{self.n_rounds_} rounds, got {len(clean)} and {len(targets[0])}"
            )
        radius = float(self.Bw)
        found = [
            regret_of(scores_over_time(run, clean), clean, y, self.kernel_, self.loss_, radius)
            for run, y in zip(self._runs, targets, strict=True)
        ]
        regrets, gaps = np.array(found).T
        gap = float(gaps.max(initial=0.0, where=gaps > 0.01 * np.maximum(1.0, regrets)))
        if gap:
            warnings.warn(
                f"the regret may be larger by up to {gap:.3g}: the best predictor of the ball was "
                "not found with more precision",
                ConvergenceWarning, stacklevel=2,
            )
        return float(regrets[0]) if len(regrets) == 1 else regrets

    def _forget(self) -> None:
        for name in ("_runs", "skipped_", "_random", "_outgrown"):
            if hasattr(self, name):
                delattr(self, name)


class NoisyKernelClassifier(ClassifierMixin, _NoisyKernel):  # type: ignore[misc]
    r"""Classify clean instances, having seen several noisy measurements of each training one.

    Online gradient descent in the RKHS, on unbiased estimates of features and of the loss's
    derivative: no law of the noise is assumed, only that copies are independent with the instance
    as their mean. By default every round takes the same number of copies,
    $(1+\deg\ell')\deg Q$ (4 for ``"quadratic"`` and squared loss).

    Parameters
    ----------
    kernel : {"affine", "linear", "quadratic", "cubic", "exponential", "gaussian"} or DotProduct
        $\langle x,x'\rangle$, its powers with 1 added, $e^{\langle x,x'\rangle}$,
        $e^{-\|x-x'\|^2}$; others, of other widths, too, are in `noisytheory.dot_products`.
    loss : str or AnalyticLoss
        Of the margin, where it must fall at 0: ``"squared"``, ``"exponential"``, ``"smoothed
        hinge"``, ``"smoothed absolute"`` or ``"linear"``. Others are in `noisytheory.analytic`,
        any by its coefficients as `nt.analytic.SeriesLoss`.
    Bw : float
        Squared radius of the ball of predictors.
    p : float, "best", "importance" or None
        Of the geometric degrees, above 1; with ``"best"`` the one with the smallest bound of
        estimates of a single degree (that of coupled ones falls with p, and copies rise). With
        ``"importance"`` degrees have the laws of `nt.online.importance_laws`, which make
        the second moments of estimates of a single degree smallest. None takes a fixed number of
        copies, which polynomials allow.
    coupled : bool
        Use all degrees up to the one drawn: same copies, smaller second moments. False is the
        paper's estimator.
    copies : int
        Copies that are averaged into one factor.
    step : "adaptive", "theory" or float
        Adaptive steps need no constants. The theory's step uses Bx and Bw; a number is the eta of
        eta over the root of the horizon.
    Bx : float, optional
        Bound on $\mathbb E\|\tilde x\|^2$; by default the largest mean square of an instance's
        copies. With `copies` averaged $\tilde x$ is their mean, whose square is smaller.
        One that the data plainly break is refused: where instances without noise or an oracle's
        own variance say so, or the mean over all copies by six standard errors.
    By : float, optional
        Bound on |y|; classification needs none.
    clip : float, optional
        Largest norm of a gradient estimate. The root of $B_gB_\Psi T/\ln(1/\delta)$ makes large
        regret as rare as $\delta$, whatever the noise's tails; a gradient is then biased.
    cap : {"error", "skip"}
        What a round does that needs more copies than it has. The printed estimators need more than
        k with probability $r^{k+1}$, $r=p/(p^2-p+1)$. Skipping biases the gradient, however rare it
        is: the mean loses the terms whose degrees, those of the map and of the $\deg\ell'$ inner
        ones, add up to more than k (none if k is $(1+\deg\ell')\deg Q$ or more). Coupled estimates
        lose a share of lower ones too.
    average : bool
        Predict by the mean of the predictors of all rounds, as batch use wants; else by the last.
    projection, gradient : {"repaired", "printed"}
        What print has, for those who want to see it fail.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : array
    queries_ : array
        Copies used in each round.
    n_rounds_, skipped_ : int
    Bx_, Bpsi_, Bg_ : float
        The theory's constants.

    Notes
    -----
    X has shape (n, copies, d). An array (n, d) is taken as free of noise: of a single noisy copy of
    each instance nothing can be learnt without bias (Theorem 3). An oracle will do as well, any
    object with ``take(rounds, rng=)``: a fresh copy, shape (d,), of the instance of each round
    named. Rounds count from 0 in every call; as many are played as there are labels. ``Bx`` must be
    given, or the oracle has what bounds it, ``x``, the clean instances, and ``noise.variance``, as
    `nt.online.NoisyOracle`. With more than two classes one predictor is learnt a class,
    from the same copies.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> clean = rng.choice([-1.0, 1.0], size=(400, 2))
    >>> y = (clean[:, 0] * clean[:, 1] > 0).astype(int)
    >>> measured = clean[:, None, :] + rng.normal(size=(400, 4, 2))
    >>> model = NoisyKernelClassifier("quadratic", random_state=0).fit(measured, y)
    >>> model.predict([[1.0, 1.0], [1.0, -1.0]]).tolist(), int(model.queries_.max())
    ([1, 0], 4)
    """

    _form = "classification"
    _losses = CLASSIFICATION

    def _labelled(self, y: NDArray[Any]) -> None:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y must have two classes or more, got one class {self.classes_[0]}")

    def _targets(self, y: NDArray[Any]) -> list[Floats]:
        strange = np.setdiff1d(y, self.classes_)
        if len(strange):
            known = self.classes_.tolist()
            raise ValueError(f"y must hold the classes {known}, got {strange[0]!r}")
        signs = [np.where(y == c, 1.0, -1.0) for c in self.classes_]
        return signs[1:] if len(self.classes_) == 2 else signs

    def partial_fit(self, X: ArrayLike, y: Any, classes: Any = None) -> NoisyKernelClassifier:
        """Go on for more rounds, the horizon unknown.

        Parameters
        ----------
        X : array, shape (n, copies, d) or (n, d), or an oracle
        y : array, shape (n,)
        classes : array, optional
            All classes there will be; needed at the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_runs")
        source, y, squares, available = self._prepare(X, y, first)
        check_classification_targets(y)
        if first:
            if classes is None:
                raise ValueError("classes must be given at the first call of partial_fit, got None")
            self.classes_ = np.unique(classes)
            if len(self.classes_) < 2:
                raise ValueError(f"classes must be two or more, got {classes!r}")
            self._resolve(squares, None)
            self._random = check_random_state(checked_state(self.random_state))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes must be those of the first call, got {classes!r}")
        else:
            self._grow(squares, 0.0)
        self._learn(source, self._targets(y), available, None)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Scores of clean instances.

        Parameters
        ----------
        X : array, shape (n, d)

        Returns
        -------
        ndarray, shape (n,) or (n, classes)
        """
        scores = self._scores(X)
        return scores[0] if len(self.classes_) == 2 else scores.T

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes of clean instances.

        Parameters
        ----------
        X : array, shape (n, d)

        Returns
        -------
        ndarray, shape (n,)
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 2:
            return np.asarray(self.classes_[(scores > 0).astype(int)])
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])


class NoisyKernelRegressor(RegressorMixin, _NoisyKernel):  # type: ignore[misc]
    r"""Predict real values of clean instances, having seen several noisy measurements of each.

    There is no intercept, and what a kernel has of a constant counts in the ball: a target far from
    0 is to be standardised, by scikit-learn's ``TransformedTargetRegressor``.

    Parameters
    ----------
    kernel : {"affine", "linear", "quadratic", "cubic", "exponential", "gaussian"} or DotProduct
    loss : {"squared", "smoothed absolute"} or AnalyticLoss
        Of the residual.
    Bw, p, coupled, copies, step, Bx, clip, cap, average, projection, gradient, random_state
        As in `NoisyKernelClassifier`.
    By : float, optional
        Bound on |y|, which the theory's step and `regret_bound` ask for.

    Attributes
    ----------
    queries_ : array
    n_rounds_, skipped_ : int
    Bx_, Bpsi_, Bg_ : float

    Warns
    -----
    UserWarning
        If `fit` sees a target whose mean is larger than its standard deviation.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> clean = rng.uniform(-1, 1, size=(2000, 2))
    >>> measured = clean[:, None, :] + rng.normal(size=(2000, 2, 2))
    >>> model = NoisyKernelRegressor("linear", Bw=4.0, random_state=0)
    >>> float(model.fit(measured, clean[:, 0]).predict([[1.0, 0.0]])[0]) > 0.7
    True
    """

    _form = "regression"
    _losses = REGRESSION

    def _targets(self, y: NDArray[Any]) -> list[Floats]:
        self._labelled(y)
        return [np.asarray(y, float)]

    def _labelled(self, y: NDArray[Any]) -> float:
        largest = float(np.abs(y).max(initial=0.0))
        if self.By is None:
            return largest
        bound = POSITIVE.number("By", self.By)
        if largest > bound:
            raise ValueError(f"y must be at most By = {bound:g} in size, got {largest:g}")
        return bound

    def partial_fit(self, X: ArrayLike, y: Any) -> NoisyKernelRegressor:
        """Go on for more rounds, the horizon unknown.

        Parameters
        ----------
        X : array, shape (n, copies, d) or (n, d), or an oracle
        y : array, shape (n,)

        Returns
        -------
        self
        """
        first = not hasattr(self, "_runs")
        source, y, squares, available = self._prepare(X, y, first)
        bound = self._labelled(y)
        if first:
            self._resolve(squares, bound)
            self._random = check_random_state(checked_state(self.random_state))
        else:
            self._grow(squares, bound)
        self._learn(source, self._targets(y), available, None)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Values of clean instances.

        Parameters
        ----------
        X : array, shape (n, d)

        Returns
        -------
        ndarray, shape (n,)
        """
        return np.asarray(self._scores(X)[0])
