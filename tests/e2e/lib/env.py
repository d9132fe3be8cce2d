"""Where the build is, and how patient a test has to be."""

import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("KINDRED_SOURCE") or os.path.abspath(os.path.join(HERE, "../../.."))
BUILD = os.environ.get("KINDRED_BUILD") or os.path.join(SOURCE, "build")
SANITIZER = os.environ.get("KINDRED_SANITIZER", "")
SCALE = 5.0 if SANITIZER else 1.0


def scaled(seconds):
    """A time-out, longer where the process under test is slowed down."""
    return seconds * SCALE


def program(name):
    path = os.path.join(BUILD, name)
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is not built; set KINDRED_BUILD to the build folder")
    return path


def plugin_file(name):
    return os.path.join(BUILD, "plugins", f"{name}.so")


def for_sqlite():
    """What a program needs in its environment to load kindred_sqlite.so: a sanitizer comes first.

    Its own memory is not looked at for leaks.
    """
    if not SANITIZER:
        return {}
    library = {"address": "libasan.so", "thread": "libtsan.so"}[SANITIZER]
    path = subprocess.run(["gcc", f"-print-file-name={library}"], capture_output=True, text=True,
                          check=True).stdout.strip()
    return {"LD_PRELOAD": path, "ASAN_OPTIONS": "detect_leaks=0"}


def test_plugin_folder():
    return os.path.join(BUILD, "tests", "plugins")


def copy_plugins(folder, *names):
    """A plugin folder of its own, with the modes that a host accepts."""
    os.makedirs(folder, mode=0o755, exist_ok=True)
    for name in names:
        target = os.path.join(folder, f"{name}.so")
        shutil.copyfile(plugin_file(name), target)
        os.chmod(target, 0o755)
    return folder
