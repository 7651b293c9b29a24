// SPDX-License-Identifier: MIT
//
// figures.js - what `redist explain --json` says: the main figures, all others, and the
// strategies by predicted time.

import { $, make, count, bytes, seconds, percent, plural } from "./dom.js";

const MOST_STRATEGIES = 6;
const TERMS = 5; // colours of the style

function tile(label, value, note, title = "") {
  return make("div", { class: "tile", title }, make("div", { class: "label" }, label),
    make("div", { class: "value" }, value), make("div", { class: "note" }, note));
}

function showTiles(f) {
  const all = f.elements_moved + f.elements_kept;
  const mean = f.messages ? f.bytes_moved / f.messages : 0;
  const predicted = f.seconds === null ? "–" : seconds(f.seconds);
  const moved = tile("moves", percent(f.elements_moved, all),
    `${bytes(f.bytes_moved)} of ${bytes(f.bytes_moved + f.bytes_kept)}`,
    "Elements that change process");
  moved.append(make("div", { class: "share", style:
    `--part:${all ? 100 * f.elements_moved / all : 0}%` }));
  $("#tiles").replaceChildren(moved,
    tile("messages", count(f.messages), `${bytes(mean)} on average`,
      "Pairs of two different processes with common elements"),
    tile("Δ", count(f.delta), "most messages of a process",
      "The fewest steps of any schedule; what a process keeps counts as a message"),
    tile("W", count(f.w_elements), "most elements of a process",
      "No schedule is done before; kept elements count"),
    tile("predicted", predicted, `by ${f.strategy}`,
      "On a machine of alpha 2 µs, beta 0.1 ns and gamma 0.1 ns a byte"));
}

function showDetails(f) {
  const range = (low, high, unit = count) => (low === high ? unit(low)
    : `${unit(low)} to ${unit(high)}`);
  const rows = [
    ["sources, targets", `${count(f.sources)}, ${count(f.targets)}`],
    ["elements", `${count(f.elements)} of ${plural(f.element_bytes, "byte")}`],
    ["moved", `${count(f.elements_moved)} elements`],
    ["kept", `${count(f.elements_kept)} elements`],
    ["messages sent by a process", range(f.min_messages_sent, f.max_messages_sent)],
    ["messages received", range(f.min_messages_received, f.max_messages_received)],
    ["sent by a process", range(f.min_sent_bytes, f.max_sent_bytes, bytes)],
    ["received", range(f.min_received_bytes, f.max_received_bytes, bytes)],
    ["period", f.period.map((n) => (n === null ? "–" : count(n))).join(" × ")],
    ["staging memory", bytes(f.staging_peak_bytes)],
  ];
  $("#details").replaceChildren(...rows.flatMap(([name, value]) =>
    [make("dt", {}, name), make("dd", {}, value)]));
}

/** Bars of the fastest strategies, by what takes their time. */
function showStrategies(f) {
  const shown = f.candidates.slice(0, MOST_STRATEGIES);
  const known = ["strategy", "staging_bytes", "seconds"];
  const terms = f.candidates.length === 0 ? []
    : Object.keys(f.candidates[0]).filter((name) => !known.includes(name));
  const weight = (term) => Math.max(...shown.map((c) => c[term]), 0);
  const main = terms.filter((term) => weight(term) > 0)
    .sort((a, b) => weight(b) - weight(a)).slice(0, TERMS);
  const longest = Math.max(...shown.map((c) => c.seconds), 1e-30);
  const bar = (candidate) => make("div", { class: "stack" }, ...main.map((term, k) =>
    make("i", { style: `width:${100 * candidate[term] / longest}%;`
      + `background:var(--term${k})`, title: `${term} ${seconds(candidate[term])}` })));
  $("#strategies").replaceChildren(...shown.flatMap((candidate) => [
    make("div", { class: candidate.strategy === f.strategy ? "chosen" : "" },
      candidate.strategy), bar(candidate),
    make("div", { class: "number" }, seconds(candidate.seconds))]));
  $("#terms").replaceChildren(...main.map((term, k) => make("span", {},
    make("i", { style: `background:var(--term${k})` }), term)));
}

/** Show the text that the command printed. */
function showFigures(json) {
  const f = JSON.parse(json);
  $("#explain-json").textContent = json;
  showTiles(f);
  showDetails(f);
  showStrategies(f);
}

function clearFigures(sentence) {
  $("#explain-json").textContent = "";
  $("#tiles").replaceChildren(make("p", { class: "soft" }, sentence));
  for (const id of ["#details", "#strategies", "#terms"]) $(id).replaceChildren();
}

export { showFigures, clearFigures };
