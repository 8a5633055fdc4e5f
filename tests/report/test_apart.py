"""Pictures in other processes, some of which they end."""

from __future__ import annotations

import os
from functools import partial

import pytest

from noisytheory.report.apart import in_processes


def _interrupts():
    raise KeyboardInterrupt


@pytest.mark.crash
def test_what_ends_its_process_is_missed_and_nothing_else():
    tasks = [partial(int, "1"), partial(os._exit, 0), _interrupts, partial(os.abort), partial(list)]
    assert list(in_processes(tasks, 2)) == [
        1, "exit code 0", "KeyboardInterrupt", "SIGABRT", [],
    ]
