"""Commands as tests give them, and two files of claims to give them to."""

from __future__ import annotations

import subprocess
import sys

from click.testing import CliRunner

from noisytheory.cli import main

HOEFFDING = r'''
import numpy as np
import noisytheory as nt

def bound(n, delta):
    return np.sqrt(np.log(1 / delta) / (2 * n))

def simulate(n, *, size, rng):
    return rng.binomial(n, 0.5, size) / n - 0.5

mine = nt.Paper("mine", "Hoeffding 1963").tail(
    "theorem-2", statement=r"\bar X - \mu \le \sqrt{\log(1/\delta)/2n}", place="Theorem 2",
    hypotheses=["draws independent", "values in [0, 1]"],
    bound=bound, simulate=simulate, grid=dict(n=[10, 100], delta=[0.1, 0.01]),
    expect="upheld", trivial=0.5, rows=1024, note="One-sided.",
)
'''
STRICT = '''
from fractions import Fraction
import numpy as np
import noisytheory as nt
from noisytheory.vocabulary.domains import LEVEL, NOISE_RATE, SAMPLE_SIZE, requires

class Coin:
    def __init__(self, name, norm):
        self.name, self.norm = name, norm

@requires(n=SAMPLE_SIZE, delta=LEVEL, sigma=NOISE_RATE)
def radius(n, delta, norm, sigma=0.0):
    return norm * np.sqrt(np.log(1 / delta) / n) / (1 - 2 * sigma)

def zeros(n, *, size, rng):
    return rng.uniform(size=size) * 0

def pairs(n, *, size, rng):
    a = rng.integers(1, 9, size)
    return {"lhs": a**2.0, "a": a}

def certify(a):
    return nt.Certificate(Fraction(int(a) ** 2), Fraction(int(a)), [("a", int(a)), ("a^2", a * a)])

PAPER = nt.Paper("strict", "A paper")
claims = [
    PAPER.tail("radius", statement="x", bound=radius, simulate=zeros,
               grid=dict(population=[Coin("fair coin", 1.0), Coin("bent, coin", 0.3)], n=[10],
                         delta=[0.1])),
    PAPER.always("square", statement="a^2 \\\\le a", bound=lambda a: a, simulate=pairs,
                 certify=certify, grid=dict(n=[1]), expect="refuted", rows=64, note="a = 2"),
    PAPER.cited("quoted", statement="x"),
]
'''


def invoke(*words):
    return CliRunner().invoke(main, [str(word) for word in words], prog_name="noisytheory")


def answer(*words):
    """Standard output of a command that must succeed."""
    result = invoke(*words)
    assert result.exit_code == 0, (result.stdout, result.stderr)
    return result.stdout


def mistake(*words, code=2):
    """The one line of a command that must fail."""
    result = invoke(*words)
    assert result.exit_code == code, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert result.stderr.startswith("noisytheory") and result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    return result.stderr.strip()


def in_a_process(*words, **settings):
    command = [sys.executable, "-m", "noisytheory", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **settings)
