// SPDX-License-Identifier: MIT
//
// traffic.js - the communication grid: how much each source (down) has for each target
// (across). At its margins stands what each process sends, receives and keeps.

import { SOURCE, TARGET } from "./engine.js";
import { mix, styleColor } from "./color.js";
import { Axis, Plot } from "./plot.js";
import { $, count, plural } from "./dom.js";

const LEFT = 46;
const TOP = 20;
const MARGIN = 84; // of the volumes
const GAP = 10;

class TrafficPlot {
  constructor(traffic) {
    this.traffic = traffic;
    this.name = `redist-${traffic.name}`;
    this.label = "The communication grid: elements that each source has for each target";
    const [P, Q] = traffic.sides.map((side) => side.processes);
    this.across = new Axis(Q, 256);
    this.down = new Axis(P, 256);
    this.pointed = null;
  }

  axes() {
    return { across: this.across, down: this.down, left: LEFT, top: TOP };
  }

  height(width) {
    this.across.size = width - LEFT - MARGIN - GAP;
    const shape = Math.min(Math.max(this.down.home / this.across.home, 0.3), 1);
    this.down.size = Math.min(Math.round(this.across.size * shape), 460);
    return TOP + this.down.size + MARGIN + GAP;
  }

  tables(rows, columns) {
    const key = JSON.stringify([rows, columns]);
    if (this.cached && this.cached.key === key) return this.cached;
    const { engine } = this.traffic;
    const grid = engine.grid(rows, columns);
    let most = 0;
    for (const elements of grid) most = Math.max(most, elements);
    const volumes = [engine.volumes(SOURCE, rows), engine.volumes(TARGET, columns)];
    const load = Math.max(1, ...volumes.flat().map((v) => v.moved + v.kept));
    this.cached = { key, grid, most, volumes, load };
    return this.cached;
  }

  draw(pen) {
    const soft = styleColor("soft");
    const rows = this.down.sample(3);
    const columns = this.across.sample(3);
    const { grid, most, volumes, load } = this.tables(rows, columns);
    const cell = [this.across.pixels * columns.step, this.down.pixels * rows.step];
    const gap = Math.min(...cell) >= 7 ? 1 : 0;
    const x = (c) => LEFT + this.across.at(columns.first + c * columns.step);
    const y = (r) => TOP + this.down.at(rows.first + r * rows.step);
    const low = styleColor("low");
    const high = styleColor("high");
    const ends = [LEFT + this.across.size, TOP + this.down.size];
    pen.clip(LEFT, TOP, this.across.size, this.down.size);
    pen.rect(LEFT, TOP, this.across.size, this.down.size, styleColor("wash"));
    const whole = rows.step === 1 && columns.step === 1;
    for (let r = 0; r < rows.n; r++)
      for (let c = 0; c < columns.n; c++) {
        const elements = grid[r * columns.n + c];
        if (!elements) continue;
        const kept = whole && volumes[0][r].rank === volumes[1][c].rank;
        const at = Math.sqrt(elements / most);
        const color = kept ? styleColor("kept") : mix(low, high, at);
        pen.rect(x(c), y(r), cell[0] - gap, cell[1] - gap, color);
        const text = count(elements);
        if (whole && cell[1] > 16 && cell[0] > text.length * 6.4 + 6)
          pen.text(x(c) + cell[0] / 2, y(r) + cell[1] / 2, text, { align: "center",
            size: 10.5, color: kept || at < 0.55 ? styleColor("onlow")
              : styleColor("onhigh") });
      }
    if (this.pointed && whole) {
      const { p, q } = this.pointed;
      pen.frame(LEFT + this.across.at(q), TOP + this.down.at(p), cell[0] - gap,
        cell[1] - gap, styleColor("ink"), 2);
    }
    pen.unclip();
    this.labels(pen, { rows, columns, cell, x, y, soft });
    this.volumes(pen, { volumes, load, cell, x, y, ends, gap });
    pen.text(ends[0] + GAP, TOP / 2, "sent", { color: soft, mono: false });
    pen.text(LEFT - 6, ends[1] + GAP + 8, "recv", { color: soft, mono: false,
      align: "right" });
    const sampled = whole ? [] : ["1 row of", count(rows.step)];
    sampled.forEach((text, k) =>
      pen.text(ends[0] + GAP, ends[1] + GAP + 10 + 15 * k, text,
        { color: soft, mono: false }));
  }

  /** The ranks along both sides, where there is room. */
  labels(pen, { rows, columns, cell, x, y, soft }) {
    const { volumes } = this.cached;
    const digits = String(this.traffic.sides[1].most_rank).length;
    const every = [Math.ceil((7 * digits + 12) / cell[0]), Math.ceil(14 / cell[1])];
    for (let c = 0; c < columns.n; c += every[0])
      if (x(c) >= LEFT - 1)
        pen.text(x(c) + cell[0] / 2, TOP / 2, volumes[1][c].rank,
          { color: soft, align: "center" });
    for (let r = 0; r < rows.n; r += every[1])
      if (y(r) >= TOP - 1)
        pen.text(LEFT - 6, y(r) + cell[1] / 2, volumes[0][r].rank,
          { color: soft, align: "right" });
  }

  volumes(pen, { volumes, load, cell, x, y, ends, gap }) {
    const scale = (MARGIN - 6) / load;
    const moved = styleColor("high");
    const kept = styleColor("kept");
    pen.clip(ends[0], TOP, MARGIN + GAP, this.down.size);
    volumes[0].forEach((v, r) => {
      const left = ends[0] + GAP;
      const high = cell[1] - gap;
      pen.rect(left, y(r), v.moved * scale, high, moved);
      pen.rect(left + v.moved * scale, y(r), v.kept * scale, high, kept);
    });
    pen.unclip();
    pen.clip(LEFT, ends[1], this.across.size, MARGIN + GAP);
    volumes[1].forEach((v, c) => {
      const top = ends[1] + GAP;
      const wide = cell[0] - gap;
      pen.rect(x(c), top, wide, v.moved * scale, moved);
      pen.rect(x(c), top + v.moved * scale, wide, v.kept * scale, kept);
    });
    pen.unclip();
  }

  point(place) {
    const before = this.pointed;
    this.pointed = null;
    if (place && place.x >= 0 && place.y >= 0) this.pointAt(place);
    if (!this.pointed) this.traffic.say(null);
    if (before || this.pointed) this.traffic.plot.redraw();
  }

  /** Point at the next message, or the first that is seen. */
  walk(down, across) {
    const { p, q } = this.pointed || { p: Math.ceil(this.down.first) - down,
      q: Math.ceil(this.across.first) - across };
    const row = this.down.reveal(p + down);
    const column = this.across.reveal(q + across);
    this.point({ x: this.across.at(column + 0.5), y: this.down.at(row + 0.5) });
  }

  /** Point at a message, or beside the grid at a process. Their numbers are computed
   * anew, as a sampled picture has other ones. */
  pointAt({ x, y }) {
    const { engine } = this.traffic;
    const at = (axis, pixel) => ({ first: axis.unit(pixel), step: 1,
      n: pixel < axis.size && axis.unit(pixel) < axis.extent ? 1 : 0 });
    const row = at(this.down, y);
    const column = at(this.across, x);
    const [source] = engine.volumes(SOURCE, row);
    const [target] = engine.volumes(TARGET, column);
    const [elements] = engine.grid(row, column);
    if (source && target) this.pointed = { p: row.first, q: column.first };
    if (source || target) this.traffic.say({ source, target, elements });
  }
}

class Traffic {
  /** In the element `name`-plot, with sentences in `name`-readout. `chosen` is called
   * with the pair of ranks that is pointed at, or null. */
  constructor(engine, name, chosen) {
    this.engine = engine;
    this.name = name;
    this.chosen = chosen;
    this.plot = null;
  }

  show(sides) {
    this.sides = sides;
    if (this.plot) this.plot.forget();
    this.plot = new Plot($(`#${this.name}-plot`), new TrafficPlot(this));
    this.say(null);
  }

  /** Describe a message, or a process. */
  say(what) {
    const of = (v, does) => `${does} ${plural(v.moved, "element")} in `
      + `${plural(v.messages, "message")} and keeps ${count(v.kept)}`;
    const lines = [];
    if (what && what.source && what.target) {
      const same = what.source.rank === what.target.rank;
      lines.push(same ? `Process ${what.source.rank} keeps ${plural(what.elements,
        "element")}.` : `Process ${what.source.rank} sends ${plural(what.elements,
        "element")} to process ${what.target.rank}.`);
    }
    if (what && what.source)
      lines.push(`Source ${what.source.rank} ${of(what.source, "sends")}.`);
    if (what && what.target)
      lines.push(`Target ${what.target.rank} ${of(what.target, "receives")}.`);
    $(`#${this.name}-readout`).textContent = lines.join(" ")
      || "Rows are sources, columns are targets. Grey elements stay on their process.";
    this.chosen(what && what.source && what.target && what.elements
      ? [what.source.rank, what.target.rank] : null);
  }
}

export { Traffic };
