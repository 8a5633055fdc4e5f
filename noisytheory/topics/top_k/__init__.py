"""The average of the k largest losses: aggregates, exact minimisers, bounds, calibration."""

from __future__ import annotations

from noisytheory.topics.top_k.aggregate import (
    average_loss,
    average_top_k,
    conjugate,
    level,
    maximum_loss,
    tail_mass,
    top_k_loss,
    top_weights,
    variational,
)
from noisytheory.topics.top_k.aggregates.bounds import outlier_shift
from noisytheory.topics.top_k.calibration import (
    PopulationMinimiser,
    bayes_risk,
    calibration_threshold,
    clipped_logit,
    optimal_risk,
    population_minimiser,
)
from noisytheory.topics.top_k.collapse import collapse_threshold, first_useful_k
from noisytheory.topics.top_k.combinations import (
    ranked_range,
    ranked_range_weights,
    spectral,
    spectral_conjugate,
    spectral_weights,
)
from noisytheory.topics.top_k.constants.bounds import c_kappa, radius
from noisytheory.topics.top_k.cvar.bounds import (
    brown_lower,
    brown_upper,
    cvar_exponential,
    expected_top_k_exponential,
    thomas_upper,
    uniform_cvar,
)
from noisytheory.topics.top_k.descent.bounds import sgd_gap
from noisytheory.topics.top_k.individual import INDIVIDUAL, Individual, individual
from noisytheory.topics.top_k.kernel_dual import KernelSolution, kernel_fit
from noisytheory.topics.top_k.kernel_paths import kernel_path
from noisytheory.topics.top_k.lemmas.bounds import exceedance, hoeffding, uniform_hinge
from noisytheory.topics.top_k.margins.bounds import (
    data_margin,
    margin_floor,
    margin_floor_printed,
    norm_margin,
    norm_margin_printed,
    training_risk,
)
from noisytheory.topics.top_k.minimise import NotCertified, Solution, effective_C, fit
from noisytheory.topics.top_k.paths import Path, path
from noisytheory.topics.top_k.planning import first_useful_n
from noisytheory.topics.top_k.selection import (
    EndOfGrid,
    Selected,
    k_bar,
    kernel_select,
    select,
    useful_grid,
)
from noisytheory.topics.top_k.stochastic import Run, largest_stable_C, stochastic
from noisytheory.topics.top_k.theorem_2.bounds import (
    theorem_2_printed,
    theorem_2_proved,
    theorem_2_root_mu,
    theorem_2_sharp,
)

__all__ = [
    "INDIVIDUAL",
    "EndOfGrid",
    "Individual",
    "KernelSolution",
    "NotCertified",
    "Path",
    "PopulationMinimiser",
    "Run",
    "Selected",
    "Solution",
    "average_loss",
    "average_top_k",
    "bayes_risk",
    "brown_lower",
    "brown_upper",
    "c_kappa",
    "calibration_threshold",
    "clipped_logit",
    "collapse_threshold",
    "conjugate",
    "cvar_exponential",
    "data_margin",
    "effective_C",
    "exceedance",
    "expected_top_k_exponential",
    "first_useful_k",
    "first_useful_n",
    "fit",
    "hoeffding",
    "individual",
    "k_bar",
    "kernel_fit",
    "kernel_path",
    "kernel_select",
    "largest_stable_C",
    "level",
    "margin_floor",
    "margin_floor_printed",
    "maximum_loss",
    "norm_margin",
    "norm_margin_printed",
    "optimal_risk",
    "outlier_shift",
    "path",
    "population_minimiser",
    "radius",
    "ranked_range",
    "ranked_range_weights",
    "select",
    "sgd_gap",
    "spectral",
    "spectral_conjugate",
    "spectral_weights",
    "stochastic",
    "tail_mass",
    "theorem_2_printed",
    "theorem_2_proved",
    "theorem_2_root_mu",
    "theorem_2_sharp",
    "thomas_upper",
    "top_k_loss",
    "top_weights",
    "training_risk",
    "uniform_cvar",
    "uniform_hinge",
    "useful_grid",
    "variational",
]
