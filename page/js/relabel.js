// SPDX-License-Identifier: MIT
//
// relabel.js - other places for the target's ranks, so that less moves.

import { Engine, SOURCE, TARGET } from "./engine.js";
import { Traffic } from "./traffic.js";
import { $, make, count, percent } from "./dom.js";

class Relabel {
  /** `changed` is called when the machine is another, `use` with the text of a target to
   * take. */
  constructor(module, changed, use) {
    this.engines = [new Engine(module), new Engine(module)];
    this.plots = this.engines.map((engine, k) =>
      new Traffic(engine, ["given", "proposed"][k], () => {}));
    for (const id of ["#node", "#within"]) $(id).addEventListener("input", changed);
    $("#use-proposal").addEventListener("click", () => use(this.proposed));
  }

  /** The command whose output is taken. */
  words(source, target) {
    const words = ["explain", source, target, "--relabel", "--json"];
    const whole = (id) => Math.floor(Number($(id).value)) || 0;
    const node = Math.max(1, whole("#node"));
    const within = Math.min(100, Math.max(0, whole("#within")));
    if (node > 1) words.push("--node", String(node), "--within", String(within));
    this.refuse("");
    $("#relabel-bars").append("Looking for other places …");
    return words;
  }

  /** Say why nothing is proposed. */
  refuse(sentence) {
    $("#relabel-error").textContent = sentence;
    $("#relabel-bars").replaceChildren();
    $("#use-proposal").disabled = true;
  }

  /** Show the proposal that the command printed. */
  take(json) {
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
    $("#use-proposal").disabled = this.proposed === f.target;
    [f.target, this.proposed].forEach((text, k) => {
      const engine = this.engines[k];
      engine.parse(SOURCE, f.source);
      engine.parse(TARGET, text);
      this.plots[k].show([SOURCE, TARGET].map((side) => engine.describe(side)));
    });
  }
}

export { Relabel };
