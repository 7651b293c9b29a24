// SPDX-License-Identifier: MIT
//
// lanes.js - a schedule as a chart: a lane for each source, time to the right, and a bar
// for each message, in the colour of its target.

import { rankColor, styleColor } from "./color.js";
import { Axis, ticks } from "./plot.js";
import { count } from "./dom.js";

const LEFT = 40;
const TOP = 6;
const FOOT = 20;
const MOST_LANES = 24; // at first
const NUMBERS = 6; // of a bar: p, q, length, step, start with barriers and without

class LaneChart {
  /** `ranks` of both sides, `player` of all charts, `fetch(first, n)` for a schedule that
   * is not whole. */
  constructor(made, { ranks, processes, player, fetch }) {
    this.made = made;
    this.ranks = ranks;
    this.player = player;
    this.fetch = fetch;
    this.name = `redist-${made.figures.schedule}`;
    this.label = `Schedule ${made.figures.schedule}: who sends to whom, when`;
    this.keepsDown = true;
    this.bars = made.bars;
    this.down = new Axis(processes[0], MOST_LANES);
    this.across = new Axis(Math.max(this.end(), 1));
  }

  /** When the last message is over. Unknown lengths count as one. */
  end() {
    const { bars } = this;
    let end = 0;
    for (let k = 0; bars && k < bars.length; k += NUMBERS)
      end = Math.max(end, this.begin(k) + this.weight(k));
    return end;
  }

  weight(k) {
    return this.made.bars ? this.bars[k + 2]
      : this.made.figures.timed ? this.bars[k + 2] : 1;
  }

  begin(k) {
    return this.bars[k + (this.player.barriers ? 4 : 5)];
  }

  axes() {
    return { across: this.across, down: this.down, left: LEFT, top: TOP };
  }

  height(width) {
    this.across.size = width - LEFT - 6;
    const lanes = Math.min(this.down.extent, MOST_LANES);
    this.down.size = Math.max(lanes * Math.min(26, Math.max(10, 200 / lanes)), 48);
    return TOP + this.down.size + FOOT;
  }

  /** Take the lanes that were fetched. */
  take({ first, bars, ranks }) {
    this.fetched = { first, ranks };
    this.bars = bars;
    this.across.extent = Math.max(this.end(), this.across.extent);
    this.across.home = this.across.extent;
    if (!this.taken) this.across.reset();
    this.taken = true;
  }

  ask() {
    const first = Math.floor(this.down.first);
    const n = Math.min(Math.ceil(this.down.shown) + 1, this.down.extent - first);
    if (this.asked === first) return;
    this.asked = first;
    this.fetch(first, n);
  }

  rankOf(lane) {
    if (!this.fetched) return this.ranks[0].length ? this.ranks[0][lane] : lane;
    const rank = this.fetched.ranks[lane - this.fetched.first];
    return rank === undefined ? "" : rank;
  }

  draw(pen, width) {
    if (!this.made.bars) this.ask();
    const soft = styleColor("soft");
    const lane = this.down.pixels;
    const gap = lane > 5 ? 1 : 0;
    const now = this.player.time;
    const from = Math.max(0, Math.floor(this.down.first));
    const to = Math.min(this.down.extent, Math.ceil(this.down.first + this.down.shown));
    pen.clip(LEFT, TOP, width - LEFT, this.down.size);
    for (let p = from; p < to; p++)
      pen.rect(LEFT, TOP + this.down.at(p), this.across.size, lane - gap,
        styleColor("wash"));
    for (let k = 0; this.bars && k < this.bars.length; k += NUMBERS)
      this.drawBar(pen, k, now, lane, gap);
    const { w } = this.made.figures;
    if (this.made.bars && w)
      pen.line(LEFT + this.across.at(w), TOP, LEFT + this.across.at(w),
        TOP + this.down.size, styleColor("accent"), { dash: [4, 3], thick: 1.5 });
    if (this.player.running || now < this.across.extent)
      pen.line(LEFT + this.across.at(now), TOP, LEFT + this.across.at(now),
        TOP + this.down.size, styleColor("ink"), { thick: 1.5 });
    pen.unclip();
    const every = Math.ceil(12 / lane);
    for (let p = from; p < to; p++)
      if (p % every === 0 && this.down.at(p) >= -1)
        pen.text(LEFT - 6, TOP + this.down.at(p) + lane / 2, this.rankOf(p),
          { color: soft, align: "right", size: 10 });
    for (const k of ticks(this.across, 60))
      pen.text(LEFT + this.across.at(k), TOP + this.down.size + FOOT / 2 + 2, count(k),
        { color: soft, size: 10, align: k ? "center" : "left" });
  }

  drawBar(pen, k, now, lane, gap) {
    const p = this.bars[k];
    const y = this.down.at(p);
    if (y + lane < 0 || y > this.down.size) return;
    const begin = this.begin(k);
    const end = begin + this.weight(k);
    const q = this.bars[k + 1];
    const rank = this.ranks[1].length ? this.ranks[1][q] : q;
    const x = this.across.at(begin);
    const wide = this.across.at(end) - x;
    const { mark } = this.player;
    const dim = mark && (mark[0] !== this.rankOf(p) || mark[1] !== rank) ? 0.25 : 1;
    const space = wide > 3 ? Math.min(gap, 1) : 0;
    pen.rect(LEFT + x, TOP + y, wide - space, lane - gap, rankColor(rank), 0.18 * dim);
    const done = Math.min(Math.max((now - begin) / (end - begin), 0), 1);
    if (done > 0)
      pen.rect(LEFT + x, TOP + y, Math.max(wide * done - space, 0), lane - gap,
        rankColor(rank), dim);
    if (lane >= 11 && wide > String(rank).length * 6 + 4)
      pen.text(LEFT + x + wide / 2, TOP + y + (lane - gap) / 2, rank,
        { align: "center", size: 9.5, color: done >= 0.5 ? "#1b1b1b"
          : styleColor("soft") });
  }
}

export { LaneChart };
