"""Algorithm 1 as printed and mended, and the example of Section 5.4, on trial."""

from __future__ import annotations

from fractions import Fraction

from noisytheory.papers import KERNEL_MEAN
from noisytheory.topics.sparse.loops import simulate
from noisytheory.topics.sparse.terms import ERROR
from noisytheory.trial.sides import both, scaled
from noisytheory.vocabulary.domains import COUNT, POSITIVE, Numeric, requires


@requires(m=COUNT)
def _cells(m: Numeric) -> Numeric:
    return m


@requires(a=POSITIVE)
def _half_the_gap(a: Numeric) -> Numeric:
    return a / 2


algorithm_1 = [
    KERNEL_MEAN.always(
        "algorithm-1/printed",
        statement=r"\text{the loop ends with}\ m\ \text{centres, and so}\ m\ \text{cells}",
        place="Algorithm 1, Sec. 5.2",
        hypotheses=["more than m distinct points"],
        bound=_cells,
        exact=simulate.centres,
        certify=simulate.centres_certificate,
        grid={"m": [2, 3]},
        given={"sample": "0, 1, 2, 4", "mended": 0},
        expect="refuted",
        quantity="centres",
        note=(
            r"`while` $|\tilde S|\le m$ leaves the loop with $m+1$ centres. The guarantee survives "
            r"if $n_i=\lceil\alpha_im\rceil$."
        ),
    ),
    KERNEL_MEAN.always(
        "algorithm-1/termination-printed",
        statement=r"\text{the loop ends}",
        place="Algorithm 1, Sec. 5.2",
        bound=lambda: 0,
        exact=simulate.loop_stuck,
        certify=simulate.stuck_certificate,
        given={"sample": "1, 1, 0, 0", "m": 2},
        expect="refuted",
        quantity="1 if the loop never ends",
        note=(
            r"$\tilde S$ is a set: where $S$ has at most $m$ distinct points, the farthest point "
            "is a centre already, and nothing changes any more. The sample is the paper's own, of "
            "Section 5.4."
        ),
    ),
    KERNEL_MEAN.always(
        "algorithm-1/repaired",
        statement=r"\text{the loop ends with at most}\ m\ \text{centres}",
        place="Algorithm 1, Sec. 5.2",
        hypotheses=["stop at m centres, or when every point is a centre"],
        bound=_cells,
        exact=simulate.centres,
        certify=simulate.centres_certificate,
        grid={"sample": list(simulate.LISTS), "m": [1, 2, 3]},
        given={"mended": 1},
        quantity="centres",
        twin={"given": {"mended": 0}, "why": "the loop as printed"},
    ),
]

counterexample = [
    KERNEL_MEAN.identity(
        "parallel-counterexample/printed",
        statement=r"S=\{1,1,0,0\}:\ \text{the union of the parts has four elements}",
        place="Sec. 5.4",
        hypotheses=["S is a set, as Section 5 says: equal points are one element"],
        bound=lambda: 4,
        exact=simulate.parallel_atoms,
        certify=simulate.atoms_certificate,
        given={"a": 0.0, "merged": 1, "apart": 0},
        expect="refuted",
        quantity="elements",
        note="As elements of a space the two ones are one: two atoms are left.",
    ),
    KERNEL_MEAN.identity(
        "parallel-counterexample/repaired",
        statement=r"S=\{1,1+a,0,a\}:\ \text{the union of the parts has four elements}",
        place="Sec. 5.4",
        hypotheses=["a list, or points that are near instead of equal"],
        bound=lambda: 4,
        exact=simulate.parallel_atoms,
        grid={"a": [0.01, 0.1], "merged": [1, 0]},
        given={"apart": 1},
        certify=simulate.atoms_certificate,
        twin={"given": {"apart": 0}, "why": "equal points"},
        quantity="elements",
    ),
    KERNEL_MEAN.always(
        "parallel-counterexample/two-atoms",
        statement=r"S=\{1,1+a,0,a\}:\ \|\omega^*-\tilde\omega\|\le\tfrac a2",
        place="Sec. 5.4, second round",
        hypotheses=["one atom from each cluster"],
        grid={"a": [1 / 64, 1 / 8]},
        twin=scaled(Fraction(1, 2)),
        **ERROR,
        **both(simulate.parallel_error, simulate.Atoms, _half_the_gap),
    ),
]
