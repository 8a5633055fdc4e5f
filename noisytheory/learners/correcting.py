"""Whether correcting a confusion pays, as learners that do ask audited examples or noisy labels."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from noisytheory.learners.audited import Audit
from noisytheory.learners.linear import DOUBTFUL, Floats, Given, LinearClassifier
from noisytheory.learners.seeds import generator
from noisytheory.topics.multiclass import (
    audit_misfit,
    gain_by_known_confusion,
    gain_by_noisy_labels,
    kept,
    likely_shares,
)
from noisytheory.topics.multiclass.held_out import held_out, left_out
from noisytheory.vocabulary.confusion import (
    ConfusionEstimate,
    Orientation,
    inverse_of,
    observed_confusion,
)

__all__ = ["MOSTLY", "CorrectingClassifier", "Learned"]

Codes: TypeAlias = NDArray[np.int64]
Learned: TypeAlias = Callable[[Any], Codes]
"""Points to predicted classes."""

AUDITED = 200
"""Audited examples a class up to which training on them alone was mostly better."""

MOSTLY = f"training on them alone was better in most trials with up to {AUDITED} a class"

PARTS = 5
"""Parts of an audit that are left out in turn: with two an estimate of few lacks too many."""


class CorrectingClassifier(LinearClassifier):
    """A learner that corrects a confusion, and sees whether that pays."""

    confusion: Given
    orientation: Orientation | None
    random_state: Any
    coef_: Floats

    _name: str
    """What `audited_errors_` calls it."""
    _rival: str
    """Who ignores the noise."""

    _folds: tuple[int, int]
    """Parts of the sample left out in turn where noisy labels judge: of it, and of who ignores."""

    _close: str
    """What to make of a lead over the audited alone that is less than a standard error."""

    @abstractmethod
    def _taught(self, points: Any, codes: Codes, confusion: Floats | None = None) -> Learned:
        """What it would predict, had it learned from these."""

    @abstractmethod
    def _ignoring(self, points: Any, codes: Codes) -> Learned:
        """What its rival would, who ignores the noise."""

    @property
    def _used(self) -> Given:
        """The confusion that is corrected, as it was given."""
        return self.confusion

    @property
    def _called(self) -> str:
        """What a warning calls it."""
        return self._name

    def _read_confusion(self) -> None:
        """Check the confusion, and forget what was told of another fit."""
        for name in ("expected_gain_", "audited_errors_"):
            self.__dict__.pop(name, None)
        self.confusion_: Floats = self._confusion_of(self._used, self.orientation)

    def _guess(self, points: Any, codes: Codes) -> bool:
        """Whether ignoring the noise errs less, as far as the noisy labels tell: then it warns."""
        given, error = self._used, 0.0
        estimated = isinstance(given, ConfusionEstimate)
        entries = points.nnz if sparse.issparse(points) else points.shape[0] * points.shape[1]
        if given is None or (entries >= kept.COMPILED and not estimated):
            return False
        parts, others = self._folds
        ours = held_out(points, codes, self._taught, folds=parts)
        other = held_out(points, codes, self._ignoring, folds=others)
        if estimated:
            what = f"that is estimated from {given.counts.sum()} examples: audit more"
            gain = gain_by_noisy_labels(
                ours, other, codes, self._counted(given), rng=generator(self.random_state),
            )
        else:
            # A matrix does not say how wrong it may be, and its own word is taken.
            what = "that is given: have it checked on audited examples"
            gain, error = gain_by_known_confusion(ours, other, codes, self.confusion_, "column")
        # What is estimated lies between; the estimate goes beyond where noise is amplified.
        self.expected_gain_ = min(1.0, max(-1.0, gain))
        worse = gain < -error
        if worse:
            warnings.warn(
                f"the noisy labels tell that ignoring the noise errs less, by "
                f"{-self.expected_gain_:.2g} with {self._rival}, than correcting it by a confusion "
                f"{what}, ignore the noise, or train on the audited examples alone; give them to "
                "fit as audited= to see", UserWarning, stacklevel=3,
            )
        return worse

    def _hint(self, level: int) -> None:
        """What was mostly better than an estimate from so few."""
        given = self._used
        if isinstance(given, ConfusionEstimate) and np.median(given.audited) <= AUDITED:
            warnings.warn(
                f"{given.counts.sum()} examples were audited: {MOSTLY}; give them to fit as "
                "audited= to see", UserWarning, stacklevel=level,
            )

    def _hold_against(self, audit: Audit) -> None:
        """Say where audited pairs contradict a confusion."""
        assert audit.noisy is not None
        noisy, known = (np.searchsorted(self.classes_, said) for said in (audit.noisy, audit.true))
        counts, given = observed_confusion(noisy, known, len(self.classes_)), self._used
        if isinstance(given, ConfusionEstimate):
            held = self._counted(given).counts
            if np.array_equal(held.T, counts) and not np.array_equal(held, counts):
                warnings.warn(
                    "the confusion is estimated from the audited labels turned round, true for "
                    "noisy ones: say estimate_confusion(noisy=..., true=...)", UserWarning,
                    stacklevel=3,
                )
        if given is None or isinstance(given, ConfusionEstimate):
            return
        chance = audit_misfit(
            counts, self.confusion_, "column", rng=generator(self.random_state))
        if chance <= DOUBTFUL:
            warnings.warn(
                f"{len(known)} audited examples contradict the confusion (were it right, a chance "
                f"of at most {chance:.2g}): make an estimate of them", UserWarning, stacklevel=3,
            )

    def _compare(self, points: Any, codes: Codes, audit: Audit) -> None:
        """Errors on audited examples: of this, of ignoring the noise, and of them alone."""
        there, known, labels = audit.examples, audit.true, codes
        plain = clone(self).set_params(confusion=None, orientation=None)
        alone = held_out(there, known, lambda x, true: plain.fit(x, true).predict)
        told = self._judged(points, codes, audit)
        said = {name: self.classes_[found] for name, found in told.items()} | {"alone": alone}
        # An audit may have taken as many of a rare class as of a common one.
        codes = np.searchsorted(self.classes_, known)
        given = self._used
        shares = likely_shares(
            np.bincount(labels, minlength=len(self.classes_)), self.confusion_, "column",
            audited=given.counts.sum() if isinstance(given, ConfusionEstimate) else np.inf,
        )
        weights = shares[codes] / np.bincount(codes)[codes]
        self.audited_errors_ = {
            name: float(np.average(found != known, weights=weights))
            for name, found in said.items()
        }
        missing = np.bincount(codes, minlength=len(self.classes_)) == 0
        if missing.any():
            # Who learns from the audited alone never predicts these; of the others nobody knows.
            lost, seen = float(shares[missing].sum()), self.audited_errors_["alone"]
            self.audited_errors_["alone"] = lost + (1 - lost) * seen
            warnings.warn(
                f"none of class {self.classes_[int(np.argmax(missing))]} was audited "
                f"({missing.sum()} such classes, a share of {lost:.2g}): the errors of "
                f"{self._called} and of ignoring the noise are those on other classes, and "
                "training on the audited examples alone predicts none of these", UserWarning,
                stacklevel=3,
            )
        ours = self.audited_errors_[self._name]
        rivals = {"ignoring": f"ignoring the noise, with {self._rival},",
                  "alone": "training on them alone"}
        for name, other in rivals.items():
            if self.audited_errors_[name] < ours:
                warnings.warn(
                    f"on {len(known)} audited examples {other} errs less: "
                    f"{self.audited_errors_[name]:.3g}, {self._called} {ours:.3g}", UserWarning,
                    stacklevel=3,
                )
        lead = (said["alone"] != known) * 1.0 - (said[self._name] != known)
        mean = self.audited_errors_["alone"] - ours
        error = np.sqrt(weights**2 @ (lead - np.average(lead, weights=weights)) ** 2)
        few = np.median(np.bincount(codes)) <= AUDITED and not missing.any()
        if few and 0 <= mean < error / weights.sum():
            warnings.warn(
                f"on {len(known)} audited examples {self._called} errs {ours:.3g} and training on "
                f"them alone {self.audited_errors_['alone']:.3g}, which is within a standard "
                f"error: {self._close}", UserWarning, stacklevel=3,
            )

    def _judged(self, points: Any, codes: Codes, audit: Audit) -> dict[str, Codes]:
        """Predictions for the audited by what has neither learned from them nor counted them."""
        seen, known = self._seen(audit.examples), np.searchsorted(self.classes_, audit.true)
        found = {name: np.empty(len(known), np.int64) for name in (self._name, "ignoring")}
        counts, size = self._counts_of(audit, known), len(self.classes_)
        apart = counts is None and (audit.places < 0).all()
        plain: Any = None
        for part in left_out(known, 1 if apart else PARTS):
            stays = np.ones(len(codes), bool)
            stays[audit.places[part & (audit.places >= 0)]] = False
            rows, labels = (points, codes) if stays.all() else (points[stays], codes[stays])
            lost = (np.bincount(labels, minlength=size) == 0) & (
                np.bincount(codes, minlength=size) > 0)
            if lost.any():
                warnings.warn(
                    f"without the audited rows no label {self.classes_[int(np.argmax(lost))]} is "
                    f"left in X: the errors of {self._called} and of ignoring the noise are too "
                    "large there", UserWarning, stacklevel=4,
                )
            others, fewer = seen[part], None
            if counts is not None:
                assert audit.noisy is not None
                noisy = np.searchsorted(self.classes_, audit.noisy[part])
                fewer = self._without(counts, noisy, known[part])
            ours = self._by_weights if apart else self._taught(rows, labels, fewer)
            if plain is None or not stays.all():
                plain = self._ignoring(rows, labels)
            found[self._name][part], found["ignoring"][part] = ours(others), plain(others)
        return found

    def _counted(self, given: ConfusionEstimate) -> ConfusionEstimate:
        """Of the sorted classes."""
        return ConfusionEstimate(given.counts[np.ix_(self._places, self._places)])

    def _counts_of(self, audit: Audit, known: Codes) -> Codes | None:
        """What an estimate has counted, if these examples are among it."""
        if audit.noisy is None or not isinstance(self._used, ConfusionEstimate):
            return None
        counts: Codes = self._counted(self._used).counts
        noisy = np.searchsorted(self.classes_, audit.noisy)
        there = observed_confusion(noisy, known, len(self.classes_)) <= counts
        return counts if there.all() else None

    def _without(self, counts: Codes, noisy: Codes, known: Codes) -> Floats:
        """The estimate without some examples; where it then tells nothing, as it was."""
        left = counts - observed_confusion(noisy, known, len(counts))
        left = np.where(left.any(axis=0), left, counts)
        fewer: Floats = left / left.sum(axis=0)
        try:
            inverse_of(fewer)
        except ValueError:
            return self.confusion_
        return fewer

    def _by_weights(self, others: Any) -> Codes:
        found: Codes = np.argmax(np.asarray(others @ self.coef_.T), axis=1)
        return found
