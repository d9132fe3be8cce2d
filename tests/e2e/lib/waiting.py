"""Bounded waits on conditions."""

import time

from .env import scaled

STEP = 0.05


def wait_until(predicate, timeout=20.0, describe="the condition", quiet=(OSError,)):
    """The first true result of predicate(); AssertionError with the last one after `timeout`."""
    limit = scaled(timeout)
    deadline = time.monotonic() + limit
    last = None
    while True:
        try:
            last = predicate()
            if last:
                return last
        except quiet as error:
            last = error
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {limit:.0f} s for {describe}; last: {last!r:.600}")
        time.sleep(STEP)


def sample(predicate, seconds, step=0.1):
    """Results of predicate() every `step` for `seconds`: for things that must not happen."""
    found = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found.append(predicate())
        time.sleep(step)
    return found


def stays(predicate, seconds, describe="the condition"):
    """AssertionError as soon as predicate() turns false within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not predicate():
            raise AssertionError(f"{describe} did not hold for {seconds} s")
        time.sleep(STEP)
