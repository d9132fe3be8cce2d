"""For the cases of load: a slow plugin built for the test, and streams of many small pods."""

import os
import subprocess

from e2e.lib import env

HERE = os.path.dirname(os.path.abspath(__file__))
POD = ('{"type":"%s","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":'
       '"default","uid":"u-%s","resourceVersion":"%d","labels":{"turn":"%d"}},"spec":{"nodeName":'
       '"n1"},"status":{"phase":"Running"}}}\n')


def slow_plugin(folder, microseconds):
    """A plugin folder with slow.so in it."""
    os.makedirs(folder, mode=0o755)
    target = os.path.join(folder, "slow.so")
    subprocess.run(["cc", "-std=gnu11", "-shared", "-fPIC", "-O1", f"-DMICROSECONDS={microseconds}",
                    "-I", os.path.join(env.SOURCE, "include"), os.path.join(HERE, "slow.c"),
                    "-o", target], check=True, timeout=60)
    os.chmod(target, 0o755)
    return folder


def event(what, name, rv, turn=1):
    return POD % (what, name, name, rv, turn)


def bookmark(rv):
    return ('{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":'
            '{"resourceVersion":"%d"}}}\n' % rv)
