"""YAML, by Debian's python3-yaml also where another Python runs the tests."""

import sys

try:
    import yaml
except ImportError:
    sys.path.append("/usr/lib/python3/dist-packages")
    import yaml


def documents(text):
    """The documents of a text that are not empty."""
    return [document for document in yaml.safe_load_all(text) if document]


def load(text):
    return yaml.safe_load(text)


def dump(value):
    return yaml.safe_dump(value, sort_keys=False)
