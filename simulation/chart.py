# SPDX-License-Identifier: MIT
"""Charts as SVG: a curve for each of several things, and bars.

    4 |        .-o  synchronous
    2 |   .-o-'-o  sendrecv
    0 +--2---8---20
"""
import math
from xml.sax.saxutils import escape

PAD, LINE, FONT = 24, 20, 12
WIDTH, HEIGHT, AXIS, LEGEND = 420, 220, 56, 150
COLORS = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#57606a"]


def ticks(most):
    """Round numbers from 0 to at least `most`, some five of them."""
    step = 10 ** math.floor(math.log10(most / 4))
    step *= next(k for k in (1, 2, 2.5, 5, 10) if k * step * 5 >= most)
    return [k * step for k in range(math.ceil(most / step - 1e-9) + 1)]


def powers(least, most):
    """The powers of 10 from below `least` to above `most`."""
    return [10.0**k for k in range(math.floor(math.log10(least)),
                                   math.ceil(math.log10(most)) + 1)]


def draw(title, x_name, x, y_name, curves, log):
    """The picture of `curves`, {name: a value for each x}, at equal distances."""
    values = [value for curve in curves.values() for value in curve]
    marks = powers(min(values), max(values)) if log else ticks(max(values))
    scale = math.log10 if log else float
    low, high = scale(marks[0]), scale(marks[-1])
    left, top = PAD + AXIS, PAD + 2 * LINE
    width, height = left + WIDTH + LEGEND + PAD, top + HEIGHT + AXIS

    def at(k, value):
        return (left + WIDTH * (k + 0.5) / len(x),
                top + HEIGHT * (1 - (scale(value) - low) / (high - low)))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img" font-family="system-ui, '
           f"'Helvetica Neue', Arial, sans-serif\" font-size=\"{FONT}\" "
           'fill="#57606a">',
           f"<title>{escape(title)}</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>',
           f'<text x="{PAD}" y="{PAD + 4}" fill="#1f2328">{escape(title)}</text>',
           f'<text x="{PAD}" y="{PAD + 4 + LINE}">{escape(y_name)}</text>']
    for mark in marks:
        y = at(0, mark)[1]
        out.append(f'<path stroke="#d8dee4" d="M{left} {y:.1f}h{WIDTH}"/>'
                   f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">'
                   f"{mark:g}</text>")
    for k, value in enumerate(x):
        out.append(f'<text x="{at(k, marks[-1])[0]:.1f}" y="{top + HEIGHT + 18}" '
                   f'text-anchor="middle">{escape(str(value))}</text>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{top + HEIGHT + 38}" '
               f'text-anchor="middle">{escape(x_name)}</text>')
    for k, (name, curve) in enumerate(curves.items()):
        color = COLORS[k]
        points = [at(j, value) for j, value in enumerate(curve)]
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
        out.append(f'<path fill="none" stroke="{color}" stroke-width="2" d="M{path}"/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{color}"/>'
                for px, py in points]
        y = top + LINE * k
        out.append(f'<rect x="{left + WIDTH + 12}" y="{y}" width="12" height="12" rx="2" '
                   f'fill="{color}"/><text x="{left + WIDTH + 30}" y="{y + 10}">'
                   f"{escape(name)}</text>")
    return "\n".join(out) + "\n</svg>\n"


def bars(title, names, rows):
    """The picture of `rows`, {name: numbers}, each a bar of parts side by side."""
    left, top, high = PAD + LEGEND, PAD + 2 * LINE, LINE + 8
    width, height = left + WIDTH + 2 * PAD, top + high * len(rows) + PAD
    scale = WIDTH / max(map(sum, rows.values()))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img" font-family="system-ui, '
           f"'Helvetica Neue', Arial, sans-serif\" font-size=\"{FONT}\" "
           'fill="#57606a">',
           f"<title>{escape(title)}</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>',
           f'<text x="{PAD}" y="{PAD + 4}" fill="#1f2328">{escape(title)}</text>']
    for k, name in enumerate(names):
        x = left + 80 * k
        out.append(f'<rect x="{x}" y="{PAD + LINE - 8}" width="12" height="12" rx="2" '
                   f'fill="{COLORS[k]}"/><text x="{x + 18}" y="{PAD + LINE + 2}">'
                   f"{escape(name)}</text>")
    for k, (name, numbers) in enumerate(rows.items()):
        x, y = left, top + high * k
        out.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>')
        for color, number in zip(COLORS, numbers):
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{scale * number:.1f}" height="{LINE}" '
                       f'fill="{color}"/><text x="{x + scale * number / 2:.1f}" y="{y + 14}" '
                       f'text-anchor="middle" fill="#fff">{number}</text>')
            x += scale * number
    return "\n".join(out) + "\n</svg>\n"
