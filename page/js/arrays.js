// SPDX-License-Identifier: MIT
//
// arrays.js - both sides of the array, coloured by owner. Pointing at an element marks
// the message that it belongs to, and the element it is paired with, on both sides.

import { SOURCE, TARGET } from "./engine.js";
import { rankColor, styleColor } from "./color.js";
import { Axis, Plot, ticks } from "./plot.js";
import { $, make, count } from "./dom.js";

const LEFT = 46;
const TOP = 18;
const NOBODY = -1;
const MOST_CHIPS = 24;
const MOST_HIGH = 420;
const SIDES = ["source", "target"];

/** The axes of the section that a picture shows: the last two that are distributed. */
function shownAxes(sides) {
  const all = sides[SOURCE].extents.map((_, j) => j);
  const spread = all.filter((j) => sides.some((s) => s.coordinates[s.axes[j]] > 1));
  const last = spread.concat(all.filter((j) => !spread.includes(j)).reverse());
  const two = spread.length >= 2 ? spread.slice(-2) : last.slice(0, 2);
  return two.sort((a, b) => a - b);
}

/** The elements to show first, so that blocks are some pixels wide. */
function shownFirst(sides, j, pixels) {
  const wide = sides.map((s) => {
    const d = s.axes[j];
    const block = s.blocks[d] || Math.ceil(s.extents[d] / s.coordinates[d] / 4);
    return s.coordinates[d] > 1 ? block : s.extents[d];
  });
  return Math.max(8, Math.floor(Math.max(1, Math.min(...wide)) * pixels / 6));
}

class ArrayPlot {
  constructor(arrays, side) {
    this.arrays = arrays;
    this.side = side;
    this.name = `redist-${SIDES[side]}`;
    this.label = `The ${SIDES[side]}: elements coloured by the process that owns them`;
    const { sides, shown } = arrays;
    const own = sides[side];
    const dims = shown.map((j) => own.axes[j]).sort((a, b) => a - b);
    this.dims = dims.length > 1 ? dims : [-1, dims[0]];
    const axis = (d) => new Axis(own.extents[d],
      shownFirst(sides, own.axes.indexOf(d), 420));
    this.across = axis(this.dims[1]);
    this.down = this.dims[0] < 0 ? null : axis(this.dims[0]);
    this.cached = null;
  }

  axes() {
    return { across: this.across, down: this.down, left: LEFT, top: TOP };
  }

  height(width) {
    const across = width - LEFT - 2;
    this.across.size = across;
    if (!this.down) return TOP + 74;
    const shape = Math.min(Math.max(this.down.home / this.across.home, 0.42), 1);
    this.down.size = Math.min(Math.round(across * shape), MOST_HIGH);
    return TOP + this.down.size + 2;
  }

  /** Owners of the window, and of what it is paired with. */
  tables(rows, columns) {
    const at = this.arrays.indexAt(this.side);
    const key = JSON.stringify([rows, columns, at]);
    if (this.cached && this.cached.key === key) return this.cached;
    const { engine } = this.arrays;
    const get = (paired) =>
      engine.owners(this.side, paired, this.dims, at, rows, columns);
    this.cached = { key, own: get(false), other: get(true) };
    return this.cached;
  }

  draw(pen, width, height) {
    const ink = styleColor("soft");
    const nobody = styleColor("line");
    const rows = this.down ? this.down.sample(2) : { first: 0, step: 1, n: 1 };
    const columns = this.across.sample(2);
    const { own, other } = this.tables(rows, columns);
    const colours = this.arrays.byOther ? other : own;
    const cell = [this.across.pixels * columns.step,
      this.down ? this.down.pixels * rows.step : height - TOP - 2];
    const gap = Math.min(...cell) >= 7 ? 1 : 0;
    const top = (r) => (this.down ? this.down.at(rows.first + r * rows.step) : 0);
    const left = (c) => this.across.at(columns.first + c * columns.step);
    pen.clip(LEFT, TOP, width - LEFT, height - TOP);
    for (let r = 0; r < rows.n; r++) {
      for (let c = 0; c < columns.n;) {
        const at = r * columns.n + c;
        let n = 1;
        while (!gap && c + n < columns.n && own[at + n] === own[at]
          && other[at + n] === other[at]) n++;
        const color = colours[at] === NOBODY ? nobody : rankColor(colours[at]);
        const x = Math.round(left(c));
        const y = Math.round(top(r));
        const wide = Math.round(left(c + n)) - x - gap;
        const high = this.down ? Math.round(top(r + 1)) - y - gap : cell[1];
        pen.rect(LEFT + x, TOP + y, wide, high, color,
          this.arrays.weight(this.side, own[at], other[at]));
        c += n;
      }
    }
    if (cell[1] >= 15) this.number(pen, rows, columns, colours, cell);
    this.drawMark(pen, cell, gap);
    pen.unclip();
    for (const k of ticks(this.across, 70))
      pen.text(LEFT + Math.max(this.across.at(k), 0), TOP / 2, count(k), { color: ink });
    for (const k of this.down ? ticks(this.down, 40) : [])
      pen.text(LEFT - 6, TOP + Math.max(this.down.at(k), 0) + 6, count(k),
        { color: ink, align: "right" });
  }

  /** Write the owner into each run of a row that has room. */
  number(pen, rows, columns, colours, cell) {
    const size = Math.min(12, cell[1] * 0.6);
    for (let r = 0; r < rows.n; r++)
      for (let c = 0; c < columns.n;) {
        const rank = colours[r * columns.n + c];
        let n = 1;
        while (c + n < columns.n && colours[r * columns.n + c + n] === rank) n++;
        const x = Math.max(this.across.at(columns.first + c * columns.step), 0);
        const end = this.across.at(columns.first + (c + n) * columns.step);
        const wide = Math.min(end, this.across.size) - x;
        const y = this.down ? this.down.at(rows.first + r * rows.step) : 0;
        if (rank !== NOBODY && String(rank).length * size * 0.62 <= wide - 4)
          pen.text(LEFT + x + wide / 2, TOP + y + cell[1] / 2, rank,
            { size, align: "center", color: "#1b1b1b" });
        c += n;
      }
  }

  /** Frame the element that is pointed at, here or on the other side. */
  drawMark(pen, cell, gap) {
    const mark = this.arrays.mark && this.arrays.mark.index[this.side];
    if (!mark) return;
    const wide = Math.max(this.across.pixels - gap, 5);
    const high = this.down ? Math.max(this.down.pixels - gap, 5) : cell[1];
    const x = LEFT + this.across.at(mark[this.dims[1]]);
    const y = TOP + (this.down ? this.down.at(mark[this.dims[0]]) : 0);
    pen.frame(x - 1, y - 1, wide + 2, high + 2, styleColor("paper"), 4);
    pen.frame(x - 1, y - 1, wide + 2, high + 2, styleColor("ink"), 2);
  }

  point(place) {
    const own = this.arrays.sides[this.side];
    if (!place) {
      this.arrays.pointAt(null);
      return;
    }
    const index = this.arrays.indexAt(this.side);
    const x = this.across.unit(place.x);
    const y = this.down ? this.down.unit(place.y) : 0;
    if (this.down) index[this.dims[0]] = y;
    index[this.dims[1]] = x;
    const inside = place.x >= 0 && place.y >= 0
      && index.every((k, d) => k >= 0 && k < own.extents[d]);
    this.arrays.pointAt(inside ? { side: this.side, index } : null);
  }

  /** Mark the next element, or the first that is seen. */
  walk(down, across) {
    const { mark } = this.arrays;
    const from = mark && mark.index[this.side] || this.arrays.indexAt(this.side);
    const index = from.slice();
    const move = (axis, d, by) => {
      index[d] = axis.reveal(mark ? index[d] + by : Math.ceil(axis.first));
    };
    move(this.across, this.dims[1], across);
    if (this.down) move(this.down, this.dims[0], down);
    this.arrays.pointAt({ side: this.side, index });
  }
}

/** Both plots, with what they share. */
class Arrays {
  constructor(engine, chosen) {
    this.engine = engine;
    this.chosen = chosen; // called with the marked pair of ranks, or null
    this.byOther = false;
    this.plots = [];
    this.mark = null;
    this.marked = [NOBODY, NOBODY];
    $("#color-by").addEventListener("change", (event) => {
      this.byOther = event.target.value === "other";
      this.redraw();
    });
  }

  /** Show two sides that the library has parsed, and that fit each other. */
  show(sides) {
    this.sides = sides;
    this.mark = null;
    this.at = sides[SOURCE].extents.map(() => 0); // of the section
    this.shown = shownAxes(sides);
    this.build();
  }

  build() {
    for (const plot of this.plots) plot.forget();
    this.plots = [SOURCE, TARGET].map((side) =>
      new Plot($(`#${SIDES[side]}-plot`), new ArrayPlot(this, side)));
    this.buildSlice();
    this.buildLegend();
    this.readOut();
  }

  /** Controls of arrays of more than two dimensions. */
  buildSlice() {
    const n = this.at.length;
    const host = $("#slice");
    host.replaceChildren();
    host.hidden = n < 3;
    if (n < 3) return;
    const select = (at) => make("select", { "aria-label": ["rows", "columns"][at],
      change: (event) => {
        const j = Number(event.target.value);
        const other = this.shown[1 - at];
        this.shown = j === other ? this.shown.slice().reverse()
          : (at ? [other, j] : [j, other]);
        this.shown.sort((a, b) => a - b);
        this.build();
      } }, ...this.at.map((_, j) => make("option",
      { value: j, selected: this.shown[at] === j }, `dimension ${j}`)));
    host.append("rows ", select(0), " columns ", select(1));
    this.at.forEach((k, j) => {
      if (this.shown.includes(j)) return;
      const output = make("output", {}, String(k));
      host.append(make("label", {}, ` dimension ${j} at `, make("input", { type: "range",
        min: 0, max: Math.max(this.sides[SOURCE].count[j] - 1, 0), value: k,
        input: (event) => {
          this.at[j] = Number(event.target.value);
          output.textContent = this.at[j];
          this.mark = null;
          this.redraw();
        } }), output));
    });
  }

  buildLegend() {
    const most = Math.max(...this.sides.map((s) => s.most_rank));
    const chips = Array.from({ length: Math.min(most + 1, MOST_CHIPS) }, (_, rank) =>
      make("button", { type: "button", class: "chip", style: `--c:${rankColor(rank)}`,
        title: `Process ${rank}`, pointerenter: () => this.markRanks(rank, rank),
        pointerleave: () => this.markRanks(NOBODY, NOBODY),
        focus: () => this.markRanks(rank, rank),
        blur: () => this.markRanks(NOBODY, NOBODY) }, String(rank)));
    const rest = most + 1 - MOST_CHIPS;
    $("#legend").replaceChildren(make("span", { class: "soft" }, "process"), ...chips,
      rest > 0 ? make("span", { class: "soft" }, `and ${count(rest)} more`) : "");
  }

  /** The index of a side at which a picture cuts the dimensions it does not show. */
  indexAt(side) {
    const own = this.sides[side];
    const index = own.extents.map(() => 0);
    this.at.forEach((k, j) => {
      const d = own.axes[j];
      index[d] = own.start[d] + k * own.stride[d];
    });
    return index;
  }

  /** How strongly to draw an element: those of the marked message most. */
  weight(side, own, other) {
    if (own === NOBODY) return 0.5;
    const [p, q] = this.marked;
    if (p === NOBODY && q === NOBODY) return 1;
    const ranks = side === SOURCE ? [own, other] : [other, own];
    if (this.mark) {
      if (ranks[0] === p && ranks[1] === q) return 1;
      return own === (side === SOURCE ? p : q) ? 0.55 : 0.22;
    }
    return own === (side === SOURCE ? p : q) ? 1 : 0.22;
  }

  /** Mark processes without an element. */
  markRanks(p, q) {
    this.mark = null;
    this.marked = [p, q];
    this.redraw();
  }

  /** Mark an element of a side, or none. */
  pointAt(place) {
    if (!place && !this.mark) return;
    this.mark = null;
    this.marked = [NOBODY, NOBODY];
    if (place) {
      const { own, other } = this.engine.element(place.side, place.index);
      const places = place.side === SOURCE ? [own, other] : [other, own];
      this.mark = { places, index: places.map((p) => p && p.index) };
      this.marked = places.map((p) => (p ? p.rank : NOBODY));
    }
    this.readOut();
    this.chosen(this.mark ? this.marked : null);
    this.redraw();
  }

  readOut() {
    const say = (p) => `(${p.index.join(", ")}) of process ${p.rank}, local `
      + `(${p.local.join(", ")}), place ${count(p.place)} in memory`;
    const lines = this.mark ? this.mark.places.map((p, side) =>
      make("div", {}, make("b", {}, SIDES[side]), " ", p ? say(p) : "not in the section"))
      : [make("div", { class: "soft" },
        "Point at an element to see where it goes. Drag to move, double-click, pinch or "
        + "+ and − to zoom.")];
    $("#readout").replaceChildren(...lines);
  }

  redraw() {
    for (const plot of this.plots) plot.redraw();
  }
}

export { Arrays };
