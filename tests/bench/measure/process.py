"""What the kernel says of a process: processor time and memory."""

import os
import time

TICK = os.sysconf("SC_CLK_TCK")
QUIET_WINDOW, QUIET_SECONDS, QUIET_WINDOWS = 0.1, 0.003, 4


def _read(pid, name):
    with open(f"/proc/{pid}/{name}", encoding="ascii") as file:
        return file.read()


def cpu_seconds(pid):
    """User and system time. By ticks for the whole process, by nanoseconds for the threads that
    live: the greater of the two, as threads that ended are only in the first."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    ticks = (int(fields[11]) + int(fields[12])) / TICK
    exact = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            exact += int(_read(pid, f"task/{task}/schedstat").split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return max(ticks, exact / 1e9)


def threads(pid):
    """Processor seconds of each living thread, and how often it went to sleep, by its number."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        seconds = int(_read(pid, f"task/{task}/schedstat").split()[0]) / 1e9
        for line in _read(pid, f"task/{task}/status").splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                found[task] = (seconds, int(line.split()[1]))
    return found


def memory_mib(pid, field):
    """field: VmHWM, the peak, or VmRSS."""
    for line in _read(pid, "status").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(field)


def wait_quiet(pid, limit=20.0):
    """Returns once the process has next to nothing left to do."""
    deadline = time.monotonic() + limit
    quiet, last = 0, cpu_seconds(pid)
    while quiet < QUIET_WINDOWS and time.monotonic() < deadline:
        time.sleep(QUIET_WINDOW)
        now = cpu_seconds(pid)
        quiet = quiet + 1 if now - last < QUIET_SECONDS else 0
        last = now
