"""The project's own files, by kind, and C text without comments and strings."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYOUT = {"CMakeLists.txt", "core", "plugins", "include", "config", "deploy", "tests", "docs",
          "README.md", "LICENSE"}


def _walk():
    for folder, folders, names in os.walk(ROOT):
        here = pathlib.Path(folder)
        folders[:] = [f for f in folders
                      if f not in (".git", "__pycache__")
                      and not (here == ROOT and f.startswith("build"))]
        for name in names:
            yield (here / name).relative_to(ROOT).as_posix()


def _tracked():
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others",
                          "--exclude-standard"], capture_output=True, check=True)
    return [name for name in out.stdout.decode().split("\0") if name]


def files():
    """Paths relative to the root, sorted; without git every file but build folders."""
    try:
        names = _tracked()
    except (OSError, subprocess.CalledProcessError):
        names = list(_walk())
    return sorted(name for name in names if (ROOT / name).is_file())


def data(name):
    return (ROOT / name).read_bytes()


def text(name):
    return data(name).decode("utf-8", "replace")


def is_text(name):
    return b"\0" not in data(name)[:8192]


def shebang(name):
    first = data(name)[:80].split(b"\n", 1)[0]
    return first.decode("ascii", "replace") if first.startswith(b"#!") else ""


def c_files():
    return [n for n in files() if n.endswith((".c", ".h"))]


def shell_files():
    return [n for n in files() if n.endswith(".sh") or re.search(r"\b(ba|da)?sh\b", shebang(n))]


def python_files():
    return [n for n in files() if n.endswith(".py") or "python" in shebang(n)]


def sources():
    """All that people write by hand and machines run."""
    cmake = [n for n in files() if n.endswith(".cmake") or n.endswith("CMakeLists.txt")]
    return sorted(set(c_files() + shell_files() + python_files() + cmake))


_BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code(name):
    """C text with comments and strings blanked; lines keep their numbers."""
    return _BLANK.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text(name))


def grep(name, body, pattern):
    """"name:line: match" for each match."""
    return [f"{name}:{body.count(chr(10), 0, m.start()) + 1}: {m.group().strip()}"
            for m in re.finditer(pattern, body)]
