"""One run of one program: sync, rest, updates."""

import signal
import statistics
import sys
import time

from .process import cpu_seconds, memory_mib, wait_quiet


def end_by_exit():
    """SIGTERM ends the runner as an exception does, so that all it started goes too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def measure(program, stream=None):
    """Figures of a program just started; stops it. `stream` makes updates and tells their times."""
    try:
        objects = program.wait_synced()
        figures = {"objects": objects, "wall s": time.monotonic() - program.started,
                   "cpu s": cpu_seconds(program.pid)}
        wait_quiet(program.pid)
        figures["cpu at rest s"] = cpu_seconds(program.pid)
        figures["peak MiB"] = memory_mib(program.pid, "VmHWM")
        program.settle()
        figures["steady MiB"] = memory_mib(program.pid, "VmRSS")
        if stream:
            wait_quiet(program.pid)
            before = cpu_seconds(program.pid)
            answers = stream()
            wait_quiet(program.pid)
            figures["cpu per event us"] = 1e6 * (cpu_seconds(program.pid) - before) / len(answers)
            figures.update(latency(answers, program.arrivals()))
        return figures
    finally:
        program.stop()


def latency(answers, arrivals):
    """From the API server's answer to the return of the reconcile; 0 where the watch was first."""
    times = sorted(max(0, arrivals[n] - at) / 1e6 for n, at in answers.items() if n in arrivals)
    if len(times) < 2:
        return {}
    cuts = statistics.quantiles(times, n=100)
    return {"arrived": len(times), "p50 ms": cuts[49], "p99 ms": cuts[98]}
