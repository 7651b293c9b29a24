// SPDX-License-Identifier: MIT
//
// relabel.js - other places for the target's ranks, so that less moves.

import { Engine, Refusal, SOURCE, TARGET } from "./engine.js";
import { Traffic } from "./traffic.js";
import { $, make, count, percent } from "./dom.js";

class Relabel {
  /** `use` is called with the text of a target that is to be taken. */
  constructor(module, use) {
    this.use = use;
    this.engines = [new Engine(module), new Engine(module)];
    this.plots = this.engines.map((engine, k) =>
      new Traffic(engine, ["given", "proposed"][k], () => {}));
    for (const id of ["#node", "#within"])
      $(id).addEventListener("input", () => this.show(this.texts));
    $("#use-proposal").addEventListener("click", () => this.use(this.proposed));
  }

  get node() {
    return Math.max(1, Math.floor(Number($("#node").value)) || 1);
  }

  show(texts) {
    this.texts = texts;
    try {
      this.find(...texts);
      $("#relabel-error").textContent = "";
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      $("#relabel-error").textContent = error.message;
    }
  }

  find(source, target) {
    const words = ["explain", source, target, "--relabel", "--json"];
    const given = Math.floor(Number($("#within").value)) || 0;
    const within = Math.min(100, Math.max(0, given));
    if (this.node > 1)
      words.push("--node", String(this.node), "--within", String(within));
    const json = this.engines[0].command(...words);
    const f = JSON.parse(json);
    $("#relabel-json").textContent = json;
    this.proposed = f.relabel.target;
    const all = f.elements_moved + f.elements_kept;
    const { relabel } = f;
    const rows = [
      ["as given", f.elements_moved, relabel.elements_between_nodes_as_given],
      ["proposed", relabel.elements_moved, relabel.elements_between_nodes]];
    $("#relabel-bars").replaceChildren(...rows.flatMap(([name, moved, between]) => [
      make("div", {}, name),
      make("div", { class: "meter", style: `--part:${all ? 100 * moved / all : 0}%` }),
      make("div", { class: "number" }, `${count(moved)} elements move, `
        + percent(moved, all)
        + (between === undefined ? "" : `; ${count(between)} between nodes`))]));
    $("#relabel-text").textContent = this.proposed;
    $("#use-proposal").disabled = this.proposed === target;
    [target, this.proposed].forEach((text, k) => {
      const engine = this.engines[k];
      engine.parse(SOURCE, source);
      engine.parse(TARGET, text);
      this.plots[k].show([SOURCE, TARGET].map((side) => engine.describe(side)));
    });
  }
}

export { Relabel };
