r"""Populations of weighted signed atoms: expectations are sums, deviations are quadratic forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisytheory.vocabulary.domains import checked_reals
from noisytheory.vocabulary.joint_masses import flips
from noisytheory.vocabulary.kernels import Kernel, Linear
from noisytheory.vocabulary.noise import Number, checked_rate, flip_rates
from noisytheory.vocabulary.populations.atoms import (
    CHUNK_CELLS,
    Array,
    Cells,
    Confused,
    Exact,
    FlippedEach,
    Form,
    Given,
    GivenGram,
    Load,
    Loaded,
    Mixed,
    Negated,
    Objects,
    Recipe,
    Reweighted,
    Table,
    checked_whole,
    chunks,
    exact_numbers,
    frozen,
    given_confusion,
    given_gram,
    given_labels,
    given_points,
    given_weights,
    kept_samplers,
    objects,
    union,
)
from noisytheory.vocabulary.populations.exact_laws import ENUMERABLE, norm_law, two_point_law
from noisytheory.vocabulary.populations.law import Population
from noisytheory.vocabulary.populations.multinomial import Multinomial

if TYPE_CHECKING:
    from noisytheory.vocabulary.losses import Loss

__all__ = ["Finite", "number_text", "rates_text"]

Zero: TypeAlias = Literal["both", "half"]


class Finite(Population):
    r"""Weighted signed atoms $a_j=y_j\phi(x_j)$ with probabilities $p_j$, $j=1,\dots,J$.

    Nothing is computed before it is asked for, and pickling ships the recipe alone.

    Parameters
    ----------
    name : str
        Short and human-readable.
    points : array-like, shape (J, d), or callable
        Instances $x_j$, one a row; integers and fractions are kept exactly under a linear or
        polynomial kernel. Or a function of no arguments (importable, so that it pickles) that
        returns points and labels; it is called on first use.
    labels : array-like of -1 and 1, or of classes from 0, shape (J,)
        Missing if ``points`` is a function.
    weights : array-like, shape (J,), optional
        Probabilities, summing to 1; uniform if missing. Fractions are kept exactly.
    kernel : Kernel
        Of the features.
    classes : int, optional
        Number of classes, $Q$, where labels are $0,\dots,Q-1$. What is said of signed atoms, the
        mean among it, is refused then.

    Raises
    ------
    ValueError
        On NaN, labels other than these, weights that are no distribution, or shapes that do
        not fit.

    Examples
    --------
    >>> square = Finite("square", [[1, 0], [0, 1]], [1, -1])
    >>> square.norm == 0.5 ** 0.5, square.variance
    (True, 0.5)
    >>> square.with_label_noise(Fraction(1, 4)).exact_norm_squared
    Fraction(1, 8)
    """

    name: str
    recipe: Recipe

    def __init__(
        self,
        name: str,
        points: Exact | Load,
        labels: ArrayLike | None = None,
        weights: Exact | None = None,
        kernel: Kernel | None = None,
        classes: int | None = None,
    ) -> None:
        if kernel is None:
            kernel = Linear()
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel must be a Kernel, got {kernel!r}")
        if callable(points):
            if labels is not None:
                raise ValueError("labels must be missing if points is a function: it loads both")
            self._set(name, Loaded(points, _optional_weights(weights), kernel))
            return
        if labels is None:
            raise ValueError("labels must be given with the points")
        array = given_points(points)
        self._set(
            name,
            Given(
                array,
                given_labels(labels, len(array), classes),
                given_weights(weights, len(array)),
                kernel,
                classes,
            ),
        )

    @classmethod
    def from_gram(
        cls,
        name: str,
        gram: Exact,
        weights: Exact | None = None,
        labels: ArrayLike | None = None,
    ) -> Finite:
        r"""Build a population from the Gram matrix of its signed atoms.

        Parameters
        ----------
        name : str
            Short and human-readable.
        gram : array-like, shape (J, J)
            $G_{ij}=\langle a_i,a_j\rangle$, symmetric and positive semi-definite; fractions and
            integers are kept exactly.
        weights : array-like, shape (J,), optional
            Probabilities; uniform if missing.
        labels : array-like of -1 and 1, shape (J,), optional
            All 1 if missing: the atoms are then the features themselves.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the matrix is not square, symmetric and finite, or the shapes do not fit; on first
            use, if it is not positive semi-definite.

        Examples
        --------
        >>> Finite.from_gram("opposite", [[1, -1], [-1, 1]]).norm
        0.0
        """
        array = given_gram(gram)
        count = len(array)
        signs = given_labels(np.ones(count) if labels is None else labels, count)
        return cls._of(name, GivenGram(array, signs, given_weights(weights, count)))

    def _set(self, name: str, recipe: Recipe) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"name must be a non-empty string, got {name!r}")
        self.__dict__["name"] = name
        self.__dict__["recipe"] = recipe

    @classmethod
    def _of(cls, name: str, recipe: Recipe) -> Finite:
        population = cls.__new__(cls)
        population._set(name, recipe)
        return population

    def __reduce__(self) -> tuple[Any, ...]:
        return Finite._of, (self.name, self.recipe)

    def __repr__(self) -> str:
        return f"Finite({self.name!r})"

    def _recipe(self) -> Any:
        return self.recipe

    @property
    def _table(self) -> Table:
        return self.recipe.table

    # What the atoms are.

    @property
    def atoms(self) -> int:
        """Number of atoms, ``J``."""
        return len(self._table.labels)

    @property
    def kernel(self) -> Kernel | None:  # type: ignore[override]
        """Kernel of the features; ``None`` for a population given by its Gram matrix."""
        return self._table.space.kernel

    @property
    def labels(self) -> NDArray[np.int64]:
        """Labels $y_j$, shape (J,)."""
        return self._table.labels

    @cached_property
    def points(self) -> NDArray[Any] | None:
        """Instances $x_j$, shape (J, d); ``None`` for a population given by its Gram matrix."""
        table = self._table
        return None if table.space.points is None else frozen(table.space.points[table.index])

    @cached_property
    def weights(self) -> Array:
        """Probabilities $p_j$, shape (J,)."""
        return frozen(self._table.weights.astype(np.float64))

    @property
    def exact_weights(self) -> Objects | None:
        """Probabilities as fractions, or ``None`` where they were given as floats."""
        return self._table.weights if self._table.weights.dtype == object else None

    @property
    def classes(self) -> int | None:
        """Number of classes; ``None`` where labels are -1 and 1."""
        return self._table.classes

    @property
    def joint(self) -> NDArray[Any]:
        """Masses of atoms and labels, shape (J, Q), see `joint_masses`; of two, label 1 is first.

        Fractions where the weights are.
        """
        return self._table.joint

    @property
    def instances(self) -> NDArray[np.int64]:
        """Number of the instance that each atom sits on, shape (J,): equal where they coincide."""
        return self._table.index

    @cached_property
    def instance_gram(self) -> Array:
        r"""$\langle\phi(x_i),\phi(x_j)\rangle$ over the atoms, unsigned, shape (J, J)."""
        index = self._table.index
        return frozen(self._space_gram[np.ix_(index, index)])

    @cached_property
    def gram(self) -> Array:
        r"""$G_{ij}=\langle a_i,a_j\rangle$ of the signed atoms, shape (J, J)."""
        return frozen(self.instance_gram * np.outer(self._table.signs, self._table.signs))

    @cached_property
    def exact_gram(self) -> Objects | None:
        """Gram matrix of the signed atoms in fractions, or ``None`` where it is not rational."""
        table = self._table
        if table.space.exact is None:
            return None
        numerators = table.space.exact.numerators[np.ix_(table.index, table.index)]
        signed = numerators * np.outer(table.signs, table.signs)
        denominator = table.space.exact.denominator
        fractions = [Fraction(int(entry), denominator) for entry in signed.ravel()]
        return frozen(objects(fractions).reshape(signed.shape))

    # Expectations.

    @cached_property
    def exact_scores(self) -> Objects | None:
        r"""$f_P(x_j)=\langle\Phi(P),\phi(x_j)\rangle$ in fractions, or ``None``."""
        scores = self._exact_space_scores
        return None if scores is None else frozen(scores[self._table.index])

    @cached_property
    def scores(self) -> Array:
        r"""$f_P(x_j)=\langle\Phi(P),\phi(x_j)\rangle$ at each atom's instance, shape (J,)."""
        return frozen(self._space_scores[self._table.index])

    @cached_property
    def exact_norm_squared(self) -> Fraction | None:
        r"""$\|\Phi(P)\|^2$ as a fraction, or ``None`` where weights or Gram are not rational."""
        scores = self._exact_space_scores
        if scores is None:
            return None
        return Fraction(np.dot(self._table.signed_weights, scores))

    @cached_property
    def norm(self) -> float:
        r"""RKHS norm of the mean, $\|\Phi(P)\|$."""
        exact = self.exact_norm_squared
        if exact is not None:
            return math.sqrt(exact)
        squared = float(self._table.signed_weights.astype(np.float64) @ self._space_scores)
        return math.sqrt(max(0.0, squared))

    @cached_property
    def power(self) -> float:
        r"""Mean squared norm of the features, $E\|\phi(x)\|^2$."""
        exact = self._exact_power
        if exact is not None:
            return float(exact)
        return float(self._table.masses.astype(np.float64) @ np.diagonal(self._space_gram))

    @cached_property
    def variance(self) -> float:
        r"""$E\|y\phi(x)-\Phi(P)\|^2=E\|\phi(x)\|^2-\|\Phi(P)\|^2$; $n\,E L^2$ for any sample."""
        if self.exact_norm_squared is not None and self._exact_power is not None:
            return float(self._exact_power - self.exact_norm_squared)
        return max(0.0, self.power - self.norm**2)

    @cached_property
    def feature_bound(self) -> float:
        r"""Largest feature norm, $\max_j\|\phi(x_j)\|$ over atoms of positive weight."""
        cells = self._cells
        return math.sqrt(float(np.diagonal(self._space_gram)[cells.index].max()))

    @cached_property
    def radius(self) -> float:
        r"""$\max_j\|a_j-\Phi(P)\|$ over atoms of positive weight, an RKHS distance."""
        cells = self._cells
        squares = (
            np.diagonal(self._space_gram)[cells.index]
            - 2 * cells.labels * self._space_scores[cells.index]
            + self.norm**2
        )
        return math.sqrt(max(0.0, float(squares.max())))

    @cached_property
    def diameter(self) -> float:
        r"""$\max_{i,j}\|a_i-a_j\|$ over atoms of positive weight, an RKHS distance."""
        cells, gram = self._cells, self._space_gram
        diagonal = np.diagonal(gram)[cells.index]
        largest = 0.0
        rows = max(1, CHUNK_CELLS // len(diagonal))
        for start in range(0, len(diagonal), rows):
            part = slice(start, start + rows)
            inner = gram[np.ix_(cells.index[part], cells.index)]
            inner *= cells.labels[part, None]
            inner *= cells.labels
            squares = diagonal[part, None] + diagonal - 2 * inner
            largest = max(largest, float(squares.max()))
        return math.sqrt(largest)

    @cached_property
    def top_eigenvalue(self) -> float:
        r"""Largest eigenvalue of the covariance of $y\phi(x)$: its variance in the worst direction.

        From the matrix $F^\top\mathrm{diag}(m)F-\Phi\Phi^\top$ in the coordinates of the factor
        $K=FF^\top$ of the Gram matrix, $m$ the masses of the instances.
        """
        factor, table = self._form.factor, self._table
        masses = table.masses.astype(np.float64)
        mean = table.signed_weights.astype(np.float64) @ factor
        covariance = (factor * masses[:, None]).T @ factor - np.outer(mean, mean)
        # All of them: LAPACK's search for the largest alone can fail where it is repeated.
        return max(0.0, float(np.linalg.eigvalsh(covariance)[-1]))

    @cached_property
    def exact_eta(self) -> Objects | None:
        r"""$P(Y=1\mid x_j)$ in fractions, shape (J,), or ``None`` if weights are not rational."""
        return None if self.exact_weights is None else frozen(self._conditional())

    @cached_property
    def eta(self) -> Array:
        r"""$P(Y=1\mid x_j)$ at each atom's instance, shape (J,); NaN where there is no mass.

        Atoms share an instance where their points coincide, or, without points, their features.
        """
        return frozen(self._conditional().astype(np.float64))

    def _conditional(self) -> NDArray[Any]:
        table = self._table
        masses, signed = table.masses, table.signed_weights
        positive = (masses + signed) / 2
        empty = masses == 0
        eta = np.where(empty, np.nan, positive / np.where(empty, 1, masses))
        return np.asarray(eta[table.index])

    def decision(self, weight_vector: Exact) -> NDArray[Any]:
        r"""Scores $\langle\omega,x_j\rangle$ of a weight vector at each atom, shape (J,).

        Parameters
        ----------
        weight_vector : array-like, shape (d,)
            $\omega$, for points under the linear kernel; fractions are kept exactly.

        Returns
        -------
        array, shape (J,)

        Raises
        ------
        ValueError
            If there are no points, the kernel is not linear, or the shape does not fit.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import long_servedio
        >>> long_servedio(30).decision([1, 0]).tolist() == [1, 1, 30]
        True
        """
        points = self.points
        if points is None or not isinstance(self.kernel, Linear):
            raise ValueError("a weight vector needs points under the linear kernel")
        vector = checked_reals("weight_vector", weight_vector)
        if vector.shape != points.shape[1:]:
            raise ValueError(
                f"weight_vector must have shape {points.shape[1:]}, got {vector.shape}"
            )
        if vector.dtype.kind == "f":
            points = points.astype(np.float64)
        return np.asarray(points @ vector)

    def risk(
        self, scores: Exact, loss: Loss | None = None, *, zero: Zero = "both"
    ) -> float | Fraction:
        r"""Risk $E\,\ell(y,f(x))$ of scores $f(x_j)$: a sum over the atoms, no sampling.

        Parameters
        ----------
        scores : array-like, shape (J,)
            $f(x_j)$ at each atom's instance, as from `scores` or `decision`.
        loss : Loss, optional
            The 0-1 loss if missing.
        zero : {"both", "half"}
            For the 0-1 loss: whether a score of 0 is an error for both labels, or half an error.

        Returns
        -------
        float or Fraction
            A fraction where the weights are fractions and the losses are rational (the 0-1 and
            margin losses always, others at scores that are integers or fractions).

        Raises
        ------
        ValueError
            If the scores have the wrong shape, are NaN, or no real numbers.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import long_servedio
        >>> long_servedio(30).risk([-1, 1, 0])
        Fraction(3, 4)
        >>> long_servedio(30).risk([-1, 1, 0], zero="half")
        Fraction(5, 8)
        """
        from noisytheory.vocabulary.losses import ZeroOne

        if loss is None:
            loss = ZeroOne(zero)
        values = checked_reals("scores", scores)
        if values.shape != (self.atoms,):
            raise ValueError(f"scores must have shape ({self.atoms},), got {values.shape}")
        if np.any(values != values):
            raise ValueError("scores must be numbers, got NaN")
        if values.dtype.kind in "iu":
            values = values.astype(object)
        losses = np.asarray(loss.value(self._table.signs, values))
        exact = self.exact_weights
        if exact is not None:
            rational = exact_numbers(losses, counted=loss.counts)
            if rational is not None:
                return Fraction(np.dot(exact, rational))
        return float(self.weights @ losses.astype(np.float64))

    # Samples.

    def draw(self, n: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Atom numbers of ``n`` independent examples, shape (n,)."""
        checked_whole("n", n)
        return rng.choice(self.atoms, size=n, p=self.weights).astype(np.int64)

    def sample(self, n: int, *, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
        """Points and labels of ``n`` independent examples.

        Parameters
        ----------
        n : int
            Sample size.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        points : array, shape (n, d)
        labels : array, shape (n,)

        Raises
        ------
        ValueError
            If the population is given by a Gram matrix alone: use `draw`.
        """
        points = self._table.space.points
        if points is None:
            raise ValueError(f"{self.name} has no points, only a Gram matrix: draw atom numbers")
        if points.dtype.kind != "f":
            points = points.astype(np.float64)
        chosen = self.draw(n, rng=rng)
        return points[self._table.index[chosen]], self.labels[chosen]

    def counts(self, n: int, *, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        r"""How often each atom occurs in samples of ``n``, $N\sim\mathrm{Mult}(n,p)$.

        Parameters
        ----------
        n : int
            Sample size.
        size : int
            Number of independent samples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array of int, shape (size, J)
            Every row sums to ``n``.
        """
        checked_whole("n", n)
        checked_whole("size", size)
        sampler = self._sampler(n)
        counts = np.empty((size, self.atoms), dtype=np.int64)
        for rows in chunks(size, self.atoms):
            counts[rows] = sampler.draw(rows.stop - rows.start, rng).T
        return counts

    def deviations(self, n: int, *, size: int, rng: np.random.Generator) -> Array:
        r"""$\|\Phi(P)-\Phi(S)\|$ for ``size`` independent samples $S\sim P^n$.

        $$\|\Phi(P)-\Phi(S)\|^2=(N/n-p)^\top G\,(N/n-p),\qquad N\sim\mathrm{Mult}(n,p).$$

        The time does not grow with ``n`` beyond drawing the counts, the memory with neither ``n``
        nor ``size``. Two distinct atoms need one binomial draw a sample.

        Parameters
        ----------
        n : int
            Sample size.
        size : int
            Number of independent samples.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array, shape (size,)
            RKHS norms.

        Raises
        ------
        ValueError
            If ``n`` or ``size`` is not a whole number of at least 1.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import axis
        >>> rng = np.random.default_rng(1)
        >>> drawn = axis(Fraction(7, 10)).deviations(25, size=20_000, rng=rng)
        >>> round(float(np.mean(drawn**2)), 3) == round(0.84 / 25, 3)
        True
        """
        checked_whole("n", n)
        checked_whole("size", size)
        cells = self._cells
        if len(cells.weights) == 1:
            return np.zeros(size)
        if len(cells.weights) == 2:
            count = rng.binomial(n, cells.weights[0], size=size)
            return np.asarray(np.abs(count / n - cells.weights[0]) * self.diameter)
        return self._form.deviations(n, size, rng)

    def exact_norm_law(self, n: int) -> tuple[Array, Array] | None:
        r"""The law of $\|\Phi(P)-\Phi(S)\|$, $S\sim P^n$, by enumeration.

        Parameters
        ----------
        n : int
            Sample size.

        Returns
        -------
        values, probabilities : arrays
            Increasing values (those equal up to rounding merged) and what they weigh; ``None``
            where more than 200,000 multinomial outcomes would have to be listed. Equally likely
            orthonormal atoms, or pairs of opposite ones, have their law from a generating
            function up to a few hundred examples, with errors of some $10^{-14}$ in total.

        Raises
        ------
        ValueError
            If ``n`` is not a whole number of at least 1.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import axis
        >>> values, probabilities = axis().exact_norm_law(2)
        >>> values.tolist(), probabilities.round(12).tolist()
        ([0.0, 1.0], [0.5, 0.5])
        """
        checked_whole("n", n)
        cells = self._cells
        if len(cells.weights) == 2 and n < ENUMERABLE:
            return two_point_law(n, float(cells.weights[0]), self.diameter)
        return norm_law(cells, self._form, n)

    # New populations from this one.

    def with_label_noise(
        self, sigma: Number | Sequence[Any], *, any_rate: bool = False
    ) -> Finite:
        r"""The population $P_\sigma$ whose labels are flipped at random.

        Doubles the atoms: $(a_j,(1-\sigma)p_j)$ and $(-a_j,\sigma p_j)$, so that
        $\Phi(P_\sigma)=(1-2\sigma)\Phi(P)$ under one rate.

        Parameters
        ----------
        sigma : Fraction, float, or a pair of them
            Probability of a flip, in [0, 1/2); or the pair of flip probabilities
            $(\sigma_-,\sigma_+)$ of negative and positive labels, with sum below 1.
        any_rate : bool
            Allow every rate in [0, 1].

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If a rate is out of its range.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import axis
        >>> axis(1).with_label_noise(Fraction(1, 4)).norm
        0.5
        """
        rates = flip_rates(sigma, any_rate=any_rate)
        name = f"{self.name}, label noise {rates_text(rates)}"
        return Finite._of(name, Confused(self.recipe, flips(*objects(rates))))

    def with_confusion(self, confusion: Exact, name: str | None = None) -> Finite:
        r"""The population whose labels are replaced at random.

        Parameters
        ----------
        confusion : array-like, shape (Q, Q)
            $\Pr[Y=p\mid t=q]$, true labels in columns in the order of `joint`; fractions are kept
            exactly.
        name : str, optional
            Of the new population.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the matrix is not column-stochastic; on first use, if it is of other labels.

        Examples
        --------
        >>> pair = Finite("pair", [[1, 0], [0, 1]], [0, 1], classes=2)
        >>> pair.with_confusion([[1, Fraction(1, 4)], [0, Fraction(3, 4)]]).joint.sum(axis=0)
        array([Fraction(5, 8), Fraction(3, 8)], dtype=object)
        """
        recipe = Confused(self.recipe, given_confusion(confusion))
        return Finite._of(name or f"{self.name}, confused", recipe)

    def with_flip_rates(self, rates: Exact, name: str | None = None) -> Finite:
        r"""The population with the label of atom $j$ flipped with probability ``rates[j]``.

        Parameters
        ----------
        rates : array-like, shape (J,)
            Probabilities, in [0, 1]; fractions are kept exactly.
        name : str, optional
            Of the new population.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the shape does not fit or a rate is no probability.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import orthonormal
        >>> [str(w) for w in orthonormal(2).with_flip_rates([Fraction(1, 4), 0]).exact_weights]
        ['3/8', '1/2', '1/8']
        """
        array = np.asarray(rates)
        if array.shape != (self.atoms,):
            raise ValueError(f"rates must have shape ({self.atoms},), got {array.shape}")
        each = objects([checked_rate("rates", rate) for rate in array.tolist()])
        return Finite._of(name or f"{self.name}, instance noise", FlippedEach(self.recipe, each))

    def contaminated(self, other: Finite, sigma: Number) -> Finite:
        r"""The mixture $(1-\sigma)P+\sigma Q$, on the union of the atoms.

        Parameters
        ----------
        other : Finite
            $Q$, over points under the same kernel, or over the same Gram matrix.
        sigma : Fraction or float
            Share of $Q$, in [0, 1].

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If ``sigma`` is out of range; on first use, if the features of the two cannot be
            compared.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import axis
        >>> axis(1).contaminated(axis(0), Fraction(1, 10)).norm
        0.8
        """
        if not isinstance(other, Finite):
            raise ValueError(f"other must be a Finite population, got {other!r}")
        share = checked_rate("sigma", sigma)
        name = f"{self.name}, {number_text(share)} of ({other.name})"
        return Finite._of(name, Mixed(self.recipe, other.recipe, share))

    def distance(self, other: Finite) -> float:
        r"""RKHS distance of the means, $\|\Phi(P)-\Phi(Q)\|$.

        Parameters
        ----------
        other : Finite
            $Q$, over points under the same kernel, or over the same Gram matrix.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the features of the two cannot be compared.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import axis
        >>> axis(1).distance(axis(0))
        2.0
        """
        space, first, second = union(self._table, other.recipe.table)
        difference = np.zeros(len(space.gram))
        difference[first] += self._table.signed_weights.astype(np.float64)
        difference[second] -= other.recipe.table.signed_weights.astype(np.float64)
        return math.sqrt(max(0.0, float(difference @ space.gram @ difference)))

    def reweighted(self, weights: Exact, name: str | None = None) -> Finite:
        """The same atoms with other probabilities.

        Parameters
        ----------
        weights : array-like, shape (J,)
            Probabilities, summing to 1; zeros are allowed, fractions are kept exactly.
        name : str, optional
            Of the new population.

        Returns
        -------
        Finite

        Raises
        ------
        ValueError
            If the weights are no distribution over the atoms.

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import orthonormal
        >>> orthonormal(2).reweighted([1, 0]).norm
        1.0
        """
        array = given_weights(weights, self.atoms)
        return Finite._of(name or f"{self.name}, reweighted", Reweighted(self.recipe, array))

    def resampled(self, n: int, *, rng: np.random.Generator) -> Finite:
        """The empirical population of ``n`` independent examples (a bootstrap sample).

        Parameters
        ----------
        n : int
            Sample size.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Finite
            Over the same atoms; its weights are the exact fractions ``count / n``.
        """
        counts = self.counts(n, size=1, rng=rng)[0]
        weights = objects([Fraction(int(count), n) for count in counts])
        return Finite._of(f"{self.name}, sample of {n}", Reweighted(self.recipe, weights))

    def flipped(self) -> Finite:
        r"""The population with every label negated, $\Phi(P')=-\Phi(P)$.

        Returns
        -------
        Finite

        Examples
        --------
        >>> from noisytheory.vocabulary.populations import axis
        >>> axis(1).flipped().scores.tolist()
        [-1.0, -1.0]
        """
        return Finite._of(f"{self.name}, flipped", Negated(self.recipe))

    # Shared devices, each computed once.

    @property
    def _space_gram(self) -> Array:
        return self._table.space.gram

    @cached_property
    def _exact_power(self) -> Fraction | None:
        exact, masses = self._table.space.exact, self._table.masses
        if exact is None or masses.dtype != object:
            return None
        diagonal = np.diagonal(exact.numerators).astype(object)
        return Fraction(np.dot(masses, diagonal)) / exact.denominator

    @cached_property
    def _exact_space_scores(self) -> Objects | None:
        exact, signed = self._table.space.exact, self._table.signed_weights
        return None if exact is None or signed.dtype != object else exact.times(signed)

    @cached_property
    def _space_scores(self) -> Array:
        if self._exact_space_scores is not None:
            return self._exact_space_scores.astype(np.float64)
        return np.asarray(self._space_gram @ self._table.signed_weights.astype(np.float64))

    @cached_property
    def _cells(self) -> Cells:
        return self._table.cells()

    @cached_property
    def _sampler(self) -> Callable[[int], Multinomial]:
        return kept_samplers(self.weights)

    @cached_property
    def _form(self) -> Form:
        return Form(self._table.space, self._cells)


def rates_text(rates: tuple[Number, Number]) -> str:
    """The rates of a noise as part of a population's name."""
    minus, plus = rates
    return number_text(minus) if minus == plus else f"({number_text(minus)}, {number_text(plus)})"


def number_text(value: Number) -> str:
    """A number for a name: short decimals as decimals, other fractions as fractions."""
    short = f"{float(value):g}"
    if isinstance(value, Fraction) and Fraction(short) != value:
        return str(value)
    return short


def _optional_weights(weights: Exact | None) -> NDArray[Any] | None:
    return None if weights is None else given_weights(weights, len(np.asarray(weights)))
