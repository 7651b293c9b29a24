# SPDX-License-Identifier: MIT
"""Random texts of distributions, most of them pairs."""


def split(draw, total, parts):
    cuts = sorted(draw.randint(0, total) for _ in range(parts - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total])]


def a_format(draw, extent, procs):
    kind = draw.choice(["block", "cyclic", "cyclic(m)", "cyclic(m)", "block(m)",
                        "gen_block", "indirect"])
    m = draw.randint(1, max(1, extent // 3))
    if kind == "gen_block":
        return f"gen_block({','.join(map(str, split(draw, extent, procs)))})"
    if kind == "indirect" and 0 < extent <= 60:
        return f"indirect({','.join(str(draw.randrange(procs)) for _ in range(extent))})"
    if kind == "block(m)":
        return f"block({max(1, -(-extent // procs) + draw.randint(0, 2))})"
    first = f" from {draw.randrange(procs)}" if draw.random() < 0.2 else ""
    return (f"cyclic({m})" if kind == "cyclic(m)" else
            "block" if kind == "indirect" else kind) + first


def a_side(draw, counts, axes):
    """A distribution with so many elements, in one of five cases as a section."""
    ndims = len(counts)
    parts = [(0, 1)] * ndims
    if draw.random() < 0.2:
        parts = [(draw.randrange(4), draw.randint(1, 3)) for _ in counts]
    lasts = [first + (n - 1) * step for n, (first, step) in zip(counts, parts)]
    extents = [last + 1 + draw.randrange(3) * (first + step > 1)
               for last, (first, step) in zip(lasts, parts)]
    spread = [draw.random() < 0.7 for _ in extents]
    spread[draw.randrange(ndims)] = True
    grid, formats = [], []
    for extent, is_spread in zip(extents, spread):
        procs = draw.randint(1, 12 if ndims == 1 else 4)
        formats.append(a_format(draw, extent, procs) if is_spread else "*")
        grid += [procs] if is_spread else []
    if draw.random() < 0.1:
        grid.append(2)  # which no dimension takes: replicas
    text = (f"[{','.join(map(str, extents))}] ({','.join(formats)}) onto "
            + "x".join(map(str, grid)))
    if draw.random() < 0.2:
        text += " column-major"
    if parts != [(0, 1)] * ndims:
        text += " section [" + ",".join(
            f"{first}:{last}:{step}" for (first, step), last in zip(parts, lasts)) + "]"
    if axes:
        text += f" axes ({','.join(map(str, axes))})"
    return text


def a_pair(draw):
    """A source and a target. One in ten is no pair, or no text of a distribution."""
    ndims = draw.choice([1, 1, 2, 2, 3])
    extents = [draw.randint(1, 240 if ndims == 1 else 40 if ndims == 2 else 12)
               for _ in range(ndims)]
    source = a_side(draw, extents, None)
    axes = None
    if ndims > 1 and draw.random() < 0.3:
        axes = draw.sample(range(ndims), ndims)
        turned = [0] * ndims
        for j, axis in enumerate(axes):
            turned[axis] = extents[j]
        extents = turned
    target = a_side(draw, extents, axes)
    if draw.random() < 0.1:
        at = draw.randrange(len(target))
        target = target[:at] + draw.choice("x(]9,") + target[at + 1:]
    return source, target
