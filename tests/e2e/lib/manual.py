"""The parts of the manual pages that follow from the programs: made anew, to be compared.

PYTHONPATH=tests python3 -m e2e.lib.manual writes them into docs/man.
"""

import os
import re
import subprocess
import textwrap

from . import env


def escaped(text):
    """Text as lines of mdoc: no escapes, no macros by accident."""
    lines = textwrap.wrap(text.replace("\\", "\\e"), 79, break_long_words=False,
                          break_on_hyphens=False)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def begun(text):
    """A sentence."""
    return escaped(text[0].upper() + text[1:] + ".")


def argument(text):
    """A line behind a macro: words that mdoc would call as macros are kept from it."""
    words = []
    for word in text.split(" "):
        is_macro = re.fullmatch(r"[A-Z][a-z]|[A-Z][a-z]?[a-z]?|[()\[\]|,.;:!?]", word)
        words.append("\\&" + word if is_macro and len(word) < 4 else word)
    return " ".join(words)


def commands(text):
    """The list of commands as mdoc, from the text of `kindredctl --help`."""
    body = text.split("COMMAND [options]\n\n", 1)[1]
    own, every = body.split("\nEvery command takes\n", 1)
    every = every.split("\n\n", 1)[0]
    lines = [".Bl -tag -width 6n"]
    inner = False
    for line in joined(own):
        if line.startswith("    "):
            if not inner:
                lines.append(".Bl -tag -width 6n -compact")
                inner = True
            lines += option(line)
        else:
            if inner:
                lines.append(".El")
                inner = False
            words, said = re.split(r" {2,}", line.strip(), maxsplit=1)
            name, _, operands = words.partition(" ")
            lines.append(f".It Cm {name}" + (f" Ar {argument(operands)}" if operands else ""))
            lines.append(begun(said))
    lines += [".El"] * inner + [".El", ".Pp", "Every command takes", ".Bl -tag -width 6n -compact"]
    for line in joined(every):
        lines += option(line)
    return "\n".join([*lines, ".El"])


def joined(text):
    """Lines, of which a long one has its explanation on the next."""
    out = []
    for line in text.rstrip("\n").split("\n"):
        if out and line.startswith(" " * 20):
            out[-1] += "  " + line.strip()
        else:
            out.append(line)
    return out


def option(line):
    words, *said = re.split(r" {2,}", line.strip(), maxsplit=1)
    if words.startswith("-o, "):
        formats = words.split(" ", 2)[2]
        return [".It Fl o , -output Ar FORMAT", f"{formats.replace('|', ', ')}."]
    letter, _, rest = words.rpartition(", ")
    name, _, value = rest[2:].partition(" ")
    flags = (f"{letter[1:]} , " if letter else "") + f"-{name}"
    return [f".It Fl {flags}" + (f" Ar {value}" if value else ""),
            begun(said[0])]


ROW = re.compile(r"^\| `(\w+)` \| `(.*?)` \| (.*?) \| (.*?) \| (.*) \|$")


def keys(text):
    """The keys of the configuration as mdoc, from docs/configuration.md."""
    text = text.split("<!-- keys: begin -->")[1].split("<!-- keys: end -->")[0]
    lines = []
    for part in text.split("\n### ")[1:]:
        title, _, body = part.partition("\n")
        lines.append(f".Ss {argument(title.replace('`', ''))}")
        said = [line for line in body.split("\n") if line and not line.startswith("|")]
        lines += [escaped(line.replace("`", "")) for line in said]
        lines.append(".Bl -tag -width 6n")
        for line in body.split("\n"):
            row = ROW.match(line)
            if row:
                name, default, takes, reload, meaning = row.groups()
                reload = "; a reload takes it over" if reload.strip() == "yes" else ""
                lines.append(f".It Cm {name}")
                lines.append(begun(f"{takes}, {default} when not set{reload}".replace("`", "")))
                lines += sentences(meaning.replace("`", ""))
        lines.append(".El")
    return "\n".join(lines)


def sentences(text):
    """Each on a line of its own, as manual pages have them."""
    return [escaped(part) for part in re.split(r"(?<=[.;]) (?=[A-Z0-9\"])", text)]


def block(page, name):
    """What stands between the marks of a page."""
    return page.split(f'.\\" {name}: begin\n')[1].split(f'\n.\\" {name}: end')[0]


def renew(name, mark, text):
    """Puts a part into its page."""
    path = os.path.join(env.SOURCE, "docs", "man", name)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.replace(block(page, mark), text))


def main():
    said = subprocess.run([env.program("kindredctl"), "--help"], capture_output=True, text=True,
                          check=True).stdout
    renew("kindredctl.1", "commands", commands(said))
    with open(os.path.join(env.SOURCE, "docs", "configuration.md"), encoding="utf-8") as file:
        renew("kindred.conf.5", "keys", keys(file.read()))


if __name__ == "__main__":
    main()
