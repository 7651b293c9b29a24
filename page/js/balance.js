// SPDX-License-Identifier: MIT
//
// balance.js - give each process its share: what each has before and after, and who sends
// how much to whom.

import { Refusal } from "./engine.js";
import { rankColor, styleColor } from "./color.js";
import { Axis, Plot } from "./plot.js";
import { errorLines } from "./editor.js";
import { $, count, percent, plural } from "./dom.js";

const LEFT = 46;
const TOP = 22;
const GAP = 28;
const MOST_SHOWN = 24;

class BalancePlot {
  constructor(balance, result) {
    this.balance = balance;
    this.name = "redist-balance";
    this.label = "Elements of each process, before and after";
    this.keepsDown = true;
    this.down = new Axis(result.processes.length, MOST_SHOWN);
    this.most = result.processes.reduce((most, p) => Math.max(most, p.before, p.after),
      1);
    this.across = new Axis(1);
    this.rows = result.processes.map((process) => this.rowOf(process));
    result.processes.forEach(({ rank, sends }) => {
      for (const { to, elements } of sends) {
        this.rows[rank].before.push([to, elements]);
        this.rows[to].after.push([rank, elements]);
      }
    });
  }

  rowOf({ rank, kept }) {
    return { before: kept ? [[rank, kept]] : [], after: kept ? [[rank, kept]] : [] };
  }

  axes() {
    return { across: this.across, down: this.down, left: LEFT, top: TOP };
  }

  height(width) {
    this.across.size = width - LEFT;
    const shown = Math.min(this.down.extent, MOST_SHOWN);
    this.down.size = shown * 22;
    return TOP + this.down.size + 2;
  }

  draw(pen, width) {
    const soft = styleColor("soft");
    const half = (width - LEFT - GAP) / 2;
    const lane = this.down.pixels;
    const columns = [["before, by where it goes", "before", LEFT],
      ["after, by where it comes from", "after", LEFT + half + GAP]];
    for (const [title, name, left] of columns) {
      pen.text(left, TOP / 2, title, { color: soft, mono: false, size: 12 });
      pen.clip(left, TOP, half, this.down.size);
      this.rows.forEach((row, rank) => {
        const y = TOP + this.down.at(rank);
        if (y + lane < TOP || y > TOP + this.down.size) return;
        pen.rect(left, y, half, lane - 2, styleColor("wash"));
        let x = left;
        for (const [other, elements] of row[name]) {
          const wide = half * elements / this.most;
          pen.rect(x, y, Math.max(wide - 1, 0.5), lane - 2, rankColor(other));
          if (wide > String(other).length * 7 + 6 && lane > 12)
            pen.text(x + wide / 2, y + lane / 2 - 1, other, { align: "center",
              color: "#1b1b1b" });
          x += wide;
        }
      });
      pen.unclip();
    }
    this.rows.forEach((row, rank) => {
      const y = this.down.at(rank) + lane / 2;
      if (y > 0 && y < this.down.size && rank % Math.ceil(13 / lane) === 0)
        pen.text(LEFT - 8, TOP + y - 1, rank, { color: soft, align: "right" });
    });
  }

  point(place) {
    const p = place ? this.down.unit(place.y) : -1;
    this.balance.say(place && place.y >= 0 ? p : -1);
  }
}

class Balance {
  constructor(changed) {
    this.plot = null;
    for (const id of ["#counts", "#weights", "#method"])
      $(id).addEventListener("input", changed);
  }

  get state() {
    return { counts: $("#counts").value, weights: $("#weights").value,
      method: $("#method").value };
  }

  set state({ counts, weights, method }) {
    if (counts) $("#counts").value = counts;
    if (counts) $("#weights").value = weights || "";
    if (method) $("#method").value = method;
  }

  /** The command whose output is taken. */
  get words() {
    const { counts, weights, method } = this.state;
    const words = ["balance", "--counts", counts, "--method", method, "--json"];
    return weights.trim() ? [...words, "--weights", weights] : words;
  }

  /** Show what is wrong. */
  refuse(sentence) {
    const { counts, weights } = this.state;
    const text = sentence.startsWith("--weights") ? weights : counts;
    $("#balance-error").replaceChildren(...errorLines(text, new Refusal(sentence)));
  }

  /** Show what the command printed. */
  take(json) {
    const result = JSON.parse(json);
    $("#balance-error").replaceChildren();
    $("#balance-json").textContent = json;
    this.result = result;
    $("#balance-summary").textContent = `${count(result.elements_moved)} of `
      + `${plural(result.elements, "element")} move `
      + `(${percent(result.elements_moved, result.elements)}) in `
      + `${plural(result.messages, "message")}; all is over after `
      + `${count(result.makespan)}, the time of an element being 1.`;
    if (this.plot) this.plot.forget();
    this.plot = new Plot($("#balance-plot"), new BalancePlot(this, result));
    this.say(-1);
  }

  say(rank) {
    const process = this.result.processes[rank];
    $("#balance-readout").textContent = !process
      ? "Point at a process to see what it sends."
      : `Process ${rank} has ${count(process.before)} and gets to `
        + `${count(process.after)}. It keeps ${count(process.kept)}`
        + (process.sends.length ? ` and sends ${process.sends.map((s) =>
          `${count(s.elements)} to ${s.to} at ${count(s.at)}`).join(", ")}.` : ".");
  }

  redraw() {
    if (this.plot) this.plot.redraw();
  }
}

export { Balance };
