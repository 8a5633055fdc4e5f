"""Pictures in other processes, some of which they end."""

from __future__ import annotations

import os
from functools import partial

import pytest

from noisytheory.report.apart import in_processes


def _interrupts():
    raise KeyboardInterrupt


def _own_process():
    return os.getpid()


@pytest.mark.crash
def test_what_ends_its_process_is_missed_and_nothing_else():
    tasks = [partial(int, "1"), partial(os._exit, 0), _interrupts, partial(os.abort), partial(list)]
    assert sorted(in_processes(dict(enumerate(tasks)), 2)) == [
        (0, 1), (1, "exit code 0"), (2, "KeyboardInterrupt"), (3, "SIGABRT"), (4, []),
    ]


@pytest.mark.crash
def test_this_process_does_the_high_ones_and_only_what_it_may():
    tasks = {number: _own_process for number in range(40)}
    added = {-1: _own_process, 40: _own_process}
    found = dict(in_processes(
        tasks, 1, meanwhile=(tasks.update({more: added[more]}) for more in added),
        here=range(20, 41),
    ))
    assert sorted(found) == list(range(-1, 41))
    ours = {number for number, process in found.items() if process == os.getpid()}
    # A process that has to be started first does not take all before this one takes the last.
    assert 40 in ours and ours <= set(range(20, 41))
