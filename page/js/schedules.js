// SPDX-License-Identifier: MIT
//
// schedules.js - all schedules side by side: a table of their figures, and charts that
// are played together.

import { LaneChart } from "./lanes.js";
import { Plot } from "./plot.js";
import { $, make, count, seconds } from "./dom.js";

const FIRST_SHOWN = 4;

/** The common time of all charts. */
class Player {
  constructor(redraw) {
    this.redraw = redraw;
    this.barriers = true;
    this.mark = null;
    this.end = 1;
    this.time = 1;
    this.running = false;
    $("#play").addEventListener("click", () => this.toggle());
    $("#step-back").addEventListener("click", () => this.step(-1));
    $("#step-on").addEventListener("click", () => this.step(1));
    $("#time").addEventListener("input", (event) => {
      this.stop();
      this.set(this.end * Number(event.target.value) / 1000);
    });
    $("#barriers").addEventListener("change", (event) => {
      this.barriers = event.target.checked;
      this.restart();
    });
  }

  /** Events of the shown charts: the times at which messages end. */
  open(charts) {
    this.charts = charts;
    this.restart();
  }

  restart() {
    const times = new Set([0]);
    for (const chart of this.charts || []) {
      chart.across.extent = Math.max(chart.end(), 1);
      const { bars } = chart;
      for (let k = 0; bars && k < bars.length; k += 6)
        times.add(chart.begin(k) + chart.weight(k));
    }
    this.events = [...times].sort((a, b) => a - b);
    const end = this.events[this.events.length - 1] || 1;
    const whole = this.time >= this.end;
    this.end = end;
    for (const chart of this.charts || []) {
      chart.across.extent = chart.across.home = end;
      chart.across.reset();
    }
    this.set(whole ? end : Math.min(this.time, end));
  }

  set(time) {
    this.time = Math.min(Math.max(time, 0), this.end);
    $("#time").value = Math.round(1000 * this.time / this.end);
    $("#now").textContent = `${count(Math.round(this.time))} / ${count(this.end)}`;
    this.redraw();
  }

  step(way) {
    this.stop();
    const later = this.events.find((t) => t > this.time + 1e-9);
    const earlier = this.events.filter((t) => t < this.time - 1e-9).pop();
    const to = way > 0 ? later : earlier;
    if (to !== undefined) this.set(to);
  }

  toggle() {
    if (this.running) {
      this.stop();
      return;
    }
    if (this.time >= this.end) this.set(0);
    this.running = true;
    this.showState();
    const took = 6000; // ms, from begin to end
    let before = performance.now();
    const frame = (now) => {
      if (!this.running) return;
      this.set(this.time + this.end * (now - before) / took);
      before = now;
      if (this.time >= this.end) this.stop();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop() {
    this.running = false;
    this.showState();
  }

  showState() {
    $("#play").textContent = this.running ? "❚❚" : "▶";
    $("#play").setAttribute("aria-label", this.running ? "Pause" : "Play");
  }
}

class Schedules {
  constructor() {
    this.plots = new Map();
    this.player = new Player(() => this.redraw());
    this.made = [];
  }

  /** Begin with a new problem. `ask` sends a message to the worker. */
  clear(processes, ask) {
    for (const { plot } of this.plots.values()) plot.forget();
    this.plots.clear();
    this.made = [];
    this.processes = processes;
    this.ask = ask;
    this.total = 0;
    $("#charts").replaceChildren();
    $("#schedule-rows").replaceChildren();
    $("#left-out").replaceChildren();
    $("#left-out-count").textContent = "";
    this.progress("Making schedules …");
  }

  progress(text) {
    $("#schedule-progress").textContent = text;
  }

  /** Take a message of the worker. */
  hear(data) {
    if (data.ranks && data.schedules) {
      this.ranks = data.ranks;
      this.total = data.schedules;
    } else if (data.schedule !== undefined) {
      this.made.push({ k: data.schedule, figures: data.figures, bars: data.bars });
      this.progress(`Made ${this.made.length} of ${this.total} schedules …`);
      this.addRow(this.made[this.made.length - 1]);
    } else if (data.lanes !== undefined) {
      const shown = this.plots.get(data.lanes);
      if (!shown) return;
      shown.chart.take(data);
      shown.plot.redraw();
      this.player.open([...this.plots.values()].map(({ chart }) => chart));
    } else if (data.done === "schedules") {
      this.progress(data.sentence || "");
      if (this.plots.size === 0) this.showFirst();
    }
  }

  addRow(made) {
    const { figures } = made;
    if (!figures.applicable) {
      $("#left-out").append(make("li", {}, make("b", {}, figures.schedule), " ",
        figures.why));
      const n = this.made.filter((other) => !other.figures.applicable).length;
      $("#left-out-count").textContent = `${n} do not apply here`;
      return;
    }
    const cell = (text, attributes = {}) => make("td", attributes, text);
    const ratio = (x, y) => (x === null ? "–" : (y ? x / y : 1).toFixed(3));
    const least = [figures.seconds_free, figures.seconds_whole]
      .filter((time) => time !== null);
    const box = make("input", { type: "checkbox",
      "aria-label": `Show ${figures.schedule}`,
      change: (event) => this.toggle(made, event.target.checked) });
    made.box = box;
    made.row = make("tr", { "data-schedule": figures.schedule }, cell(box),
      make("th", { scope: "row", title: `${figures.says}. ${figures.paper}` },
        figures.schedule, figures.chosen ? make("span", { class: "badge",
          title: "The fastest by the model" }, "fastest") : ""),
      cell(count(figures.ns)), cell(count(figures.tc)),
      cell(ratio(figures.ns, figures.delta)),
      cell(ratio(figures.tc, figures.w),
        { class: figures.tc === figures.w ? "best" : "" }),
      cell(seconds(least.length ? Math.min(...least) : null)),
      cell(seconds(figures.seconds_barriers)));
    $("#schedule-rows").append(made.row);
    $("#bounds").textContent = `Bounds for every schedule: Δ = ${count(figures.delta)} `
      + `steps, W = ${count(figures.w)}${figures.sb === null ? "" : ", SB = "
        + count(figures.sb)}, in units of ${count(figures.unit_elements)} `
      + `element${figures.unit_elements === 1 ? "" : "s"}.`;
  }

  /** Show the fastest, the least cost with start times and in steps, and ScaLAPACK's. */
  showFirst() {
    const all = this.made.filter(({ figures }) => figures.applicable);
    const least = (some) => all.filter(({ figures }) => some(figures))
      .sort((a, b) => a.figures.tc - b.figures.tc)[0];
    const first = new Set([all.find(({ figures }) => figures.chosen),
      least((f) => f.timed), least((f) => !f.timed && f.schedule !== "naive"),
      least((f) => f.schedule === "caterpillar" && f.tc <= 4 * f.w),
      ...all.slice().sort((a, b) => a.figures.tc - b.figures.tc)]);
    first.delete(undefined);
    for (const made of [...first].slice(0, FIRST_SHOWN)) {
      made.box.checked = true;
      this.add(made);
    }
    this.reopen();
  }

  toggle(made, shown) {
    if (shown) this.add(made);
    else this.remove(made.k);
    this.reopen();
  }

  reopen() {
    this.player.open([...this.plots.values()].map(({ chart }) => chart));
  }

  add(made) {
    const { figures, k } = made;
    const host = make("div", { class: "plot" });
    const caption = `NS ${count(figures.ns)} · TC ${count(figures.tc)}`;
    const card = make("figure", { class: "card" },
      make("figcaption", {}, make("b", {}, figures.schedule), ` ${caption}`,
        make("div", { class: "soft" }, figures.note || figures.says)), host);
    $("#charts").append(card);
    const chart = new LaneChart(made, { ranks: this.ranks, processes: this.processes,
      player: this.player,
      fetch: (first, n) => this.ask({ lanes: k, first, n }) });
    this.plots.set(k, { plot: new Plot(host, chart), chart, card });
  }

  remove(k) {
    const { plot, card } = this.plots.get(k);
    plot.forget();
    card.remove();
    this.plots.delete(k);
  }

  /** Mark the message of a pair of ranks, or none. */
  mark(pair) {
    this.player.mark = pair;
    this.redraw();
  }

  redraw() {
    for (const { plot } of this.plots.values()) plot.redraw();
  }
}

export { Schedules };
