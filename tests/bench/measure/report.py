"""Medians, and medians of the ratios within each round."""

from statistics import median


def table(title, ours, theirs, names):
    """Lines of a table; `ours` and `theirs` are the figures of each round, in the same order."""
    lines = [title, f"  ours: {names[0]}", f"  peer: {names[1]}",
             f"  {'figure':18}{'ours':>12}{'peer':>12}{'ratio':>9}   of each round"]
    for figure in ours[0]:
        mine = [f[figure] for f in ours if figure in f]
        other = [f[figure] for f in theirs if figure in f]
        if not mine or len(mine) != len(other):
            continue
        ratios = [a / b for a, b in zip(mine, other) if b]
        each = " ".join(f"{r:.3f}" for r in ratios)
        share = f"{median(ratios):9.3f}" if ratios else f"{'-':>9}"
        lines.append(f"  {figure:18}{median(mine):12.2f}{median(other):12.2f}{share}   {each}")
    return "\n".join(lines)
