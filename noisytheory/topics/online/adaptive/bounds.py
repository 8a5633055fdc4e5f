"""What an adversary who sees the predictor can force."""

from __future__ import annotations

from noisytheory.topics.online.bounds import BALL, GRADIENT, MAP, ROUNDS
from noisytheory.topics.online.regrets.bounds import general_regret
from noisytheory.vocabulary.domains import Numeric, requires

__all__ = ["adaptive_regret"]


@requires(T=ROUNDS, Bw=BALL, Bg=GRADIENT, Bpsi=MAP)
def adaptive_regret(T: Numeric, Bw: Numeric, Bg: Numeric, Bpsi: Numeric) -> Numeric:
    r"""Against an adversary who sees the predictor: $2\sqrt{B_wB_gB_\Psi T}$.

    Returns
    -------
    float or array

    Notes
    -----
    Ours. The comparator is random then, and costs as much again; against one fixed in advance
    `general_regret` holds.

    Examples
    --------
    >>> float(adaptive_regret(100, 1.0, 1.0, 4.0))
    40.0
    """
    return 2 * general_regret(T, Bw, Bg, Bpsi)
