// SPDX-License-Identifier: MIT
//
// main.js - the page: its state, which the address holds, and who shows what.

import { Engine, Refusal, SOURCE, TARGET } from "./engine.js";
import { serve, startWorker } from "./worker.js";
import { Editor } from "./editor.js";
import { Arrays } from "./arrays.js";
import { Traffic } from "./traffic.js";
import { Schedules } from "./schedules.js";
import { Relabel } from "./relabel.js";
import { Balance } from "./balance.js";
import { showFigures, clearFigures } from "./figures.js";
import { EXAMPLES } from "./gallery.js";
import { $, make } from "./dom.js";

const PAUSE = 160; // ms without a key before an answer begins
const TABS = ["explore", "relabel", "balance"];
const TYPE_BYTES = { f4: 4, f8: 8, c8: 8, c16: 16, i1: 1, i2: 2, i4: 4, i8: 8 };

/** The module, packed in the page. */
async function readModule() {
  const packed = atob($("#module").textContent.trim());
  const blob = new Blob([Uint8Array.from(packed, (letter) => letter.charCodeAt(0))]);
  const stream = blob.stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

class Page {
  constructor(module) {
    this.module = module;
    this.engine = new Engine(module);
    this.editors = ["source", "target"].map((name, side) =>
      new Editor($(`#${name}-editor`), { side, name, engine: this.engine,
        changed: () => this.edited(), entered: () => this.update() }));
    this.arrays = new Arrays(this.engine, (pair) => this.schedules.mark(pair));
    this.traffic = new Traffic(this.engine, "traffic", (pair) => {
      if (pair) this.arrays.markRanks(...pair);
      else if (!this.arrays.mark) this.arrays.markRanks(-1, -1);
      this.schedules.mark(pair);
    });
    this.schedules = new Schedules();
    this.relabel = new Relabel(module, () => this.update(), (text) => {
      this.editors[TARGET].text = text;
      this.update();
    });
    this.balance = new Balance(() => this.update());
    this.controls();
  }

  controls() {
    $("#type").addEventListener("change", () => this.update());
    $("#swap").addEventListener("click", () => {
      const [source, target] = this.texts;
      this.setTexts(target, source);
    });
    for (const tab of TABS)
      $(`#tab-${tab}`).addEventListener("click", () => this.openTab(tab));
    $("#tabs").addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!way) return;
      const at = (TABS.indexOf(this.tab) + way + TABS.length) % TABS.length;
      this.openTab(TABS[at]);
      $(`#tab-${TABS[at]}`).focus();
    });
    $("#examples").replaceChildren(...EXAMPLES.map(({ name, about, source, target }) =>
      make("li", {}, make("button", { type: "button", click: () => {
        $("#gallery").close();
        if (this.tab === "balance") this.openTab("explore");
        this.setTexts(source, target);
      } }, make("b", {}, name), make("span", { class: "soft" }, about),
      make("code", {}, source), make("code", {}, `→ ${target}`)))));
    $("#open-gallery").addEventListener("click", () => $("#gallery").showModal());
    $("#close-gallery").addEventListener("click", () => $("#gallery").close());
    $("#gallery").addEventListener("click", (event) => {
      if (event.target === $("#gallery")) $("#gallery").close();
    });
    $("#theme").addEventListener("click", () => {
      this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
      this.redraw();
    });
    $("#copy-link").addEventListener("click", () => this.copyLink());
    window.addEventListener("hashchange", () => this.readState());
  }

  get texts() {
    return this.editors.map((editor) => editor.text);
  }

  setTexts(source, target) {
    this.editors[SOURCE].text = source;
    this.editors[TARGET].text = target;
    this.update();
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    $("#theme").setAttribute("aria-label",
      theme === "dark" ? "Light colours" : "Dark colours");
  }

  redraw() {
    this.arrays.redraw();
    if (this.traffic.plot) this.traffic.plot.redraw();
    this.schedules.redraw();
    this.balance.redraw();
    for (const { plot } of this.relabel.plots) if (plot) plot.redraw();
  }

  async copyLink() {
    this.keepState();
    const button = $("#copy-link");
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch (error) {
      button.textContent = "See the address bar";
    }
    setTimeout(() => { button.textContent = "Copy link"; }, 1600);
  }

  // ---- state --------------------------------------------------------------------------

  keepState() {
    const [source, target] = this.texts;
    const state = new URLSearchParams({ source, target, type: $("#type").value,
      tab: this.tab });
    if (this.tab === "balance")
      for (const [name, value] of Object.entries(this.balance.state))
        if (value) state.set(name, value);
    this.kept = `#${state}`;
    history.replaceState(null, "", this.kept);
  }

  readState() {
    if (location.hash === this.kept) return;
    const preset = JSON.parse($("#preset").textContent);
    const state = { ...EXAMPLES[0], type: "f8", tab: "explore", ...preset,
      ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
    if (Object.hasOwn(TYPE_BYTES, state.type)) $("#type").value = state.type;
    this.balance.state = state;
    this.editors[SOURCE].text = state.source;
    this.editors[TARGET].text = state.target;
    this.openTab(TABS.includes(state.tab) ? state.tab : "explore");
  }

  openTab(tab) {
    this.tab = tab;
    for (const name of TABS) {
      const open = name === tab;
      $(`#tab-${name}`).setAttribute("aria-selected", String(open));
      $(`#tab-${name}`).tabIndex = open ? 0 : -1;
      $(`#page-${name}`).hidden = !open;
    }
    $("#editors").hidden = tab === "balance";
    for (const editor of this.editors) editor.fit();
    this.update();
  }

  // ---- an answer ----------------------------------------------------------------------

  edited() {
    document.body.dataset.state = "typing";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), PAUSE);
  }

  /** Read both texts. Returns whether they are a pair. */
  read() {
    let good = true;
    this.editors.forEach((editor, side) => {
      try {
        this.engine.parse(side, editor.text);
        editor.refuse(null);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        editor.refuse(error);
        good = false;
      }
    });
    if (!good) return false;
    try {
      this.engine.pair();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.editors[TARGET].refuse(error);
      return false;
    }
    return true;
  }

  update() {
    clearTimeout(this.timer);
    this.keepState();
    for (const worker of Object.values(this.workers || {})) worker.terminate();
    this.workers = {};
    let good = false;
    try {
      good = this.tab === "balance" || this.read();
      if (good) this.show();
    } catch (error) {
      this.engine.revive();
      this.editors[TARGET].refuse({ column: 0, message: `The library failed on this: ${
        error.message}` });
      good = false;
    }
    if (!good && this.shown) // what is still seen can be moved and zoomed
      this.shown.forEach((text, side) => this.engine.parse(side, text));
    document.body.classList.toggle("stale", !good);
    if (!good && document.body.dataset.state === "loading") clearFigures("");
    document.body.dataset.state = good ? "working" : "refused";
  }

  show() {
    const [source, target] = this.texts;
    this.waiting = new Set();
    const ask = (what, question) => {
      this.waiting.add(what);
      this.workers[what] = startWorker({ what, module: this.module, ...question },
        (data) => this.hear(data));
    };
    if (this.tab === "balance") {
      ask("balance", { words: this.balance.words });
      return;
    }
    if (this.tab === "relabel") {
      ask("relabel", { words: this.relabel.words(source, target) });
      return;
    }
    this.shown = [source, target];
    const sides = [SOURCE, TARGET].map((side) => this.engine.describe(side));
    const sizes = sides.map((side) => side.processes);
    this.arrays.show(sides);
    this.traffic.show(sides);
    clearFigures("…");
    this.schedules.clear(sizes,
      (message) => this.workers.schedules?.postMessage(message));
    const type = $("#type").value;
    ask("explain", { words: ["explain", source, target, "--type", type, "--json"] });
    ask("schedules", { source, target, bytes: TYPE_BYTES[type], sizes });
  }

  hear(data) {
    if (data.explain) showFigures(data.explain);
    else if (data.sentence && data.done === "explain") clearFigures(data.sentence);
    else if (data.balance) this.balance.take(data.balance);
    else if (data.sentence && data.done === "balance") this.balance.refuse(data.sentence);
    else if (data.relabel) this.relabel.take(data.relabel);
    else if (data.sentence && data.done === "relabel") this.relabel.refuse(data.sentence);
    else this.schedules.hear(data);
    if (!data.done) return;
    this.waiting.delete(data.done);
    if (this.waiting.size === 0) document.body.dataset.state = "done";
  }
}

function start(module, dark) {
  const page = new Page(module);
  window.explorer = page; // for the console, and for tests
  const follow = () => {
    page.setTheme(dark.matches ? "dark" : "light");
    page.redraw();
  };
  dark.addEventListener("change", follow);
  follow();
  page.readState();
}

async function begin() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  try {
    start(await readModule(), dark);
  } catch (error) {
    document.body.dataset.state = "failed";
    $("#tiles").replaceChildren(make("p", {}, "The explorer needs a browser with "
      + `WebAssembly and DecompressionStream: ${error.message}`));
  }
}

if (typeof document === "undefined") serve();
else begin();
