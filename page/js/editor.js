// SPDX-License-Identifier: MIT
//
// editor.js - a field for the text of a distribution. What may come next is what the
// library expects there; an error stands under the character that is wrong.

import { Refusal } from "./engine.js";
import { make } from "./dom.js";

const AFTER_FORMAT = ["from ", "on "];
const AFTER_GRID = ["ranks ", "column-major"];
const OPENS = { cyclic: "cyclic(", gen_block: "gen_block(", indirect: "indirect(",
  section: "section [", axes: "axes (", halo: "halo (", order: "order ", onto: "onto " };

/** The words that the library expects behind a text: those of its error there. */
function expectedAfter(engine, side, text) {
  try {
    engine.parse(side, text + "\u00a7");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const match = /expected (.*), found/.exec(error.message);
    if (!match || error.column < text.trimEnd().length) return [];
    return match[1].replace(/ or /g, ", ").split(", ").map((word) => word.trim());
  }
  return [];
}

/** What may be inserted at the end of a text, of which `word` is begun. */
function proposals(engine, side, text) {
  const word = /[a-z_-]*$/i.exec(text)[0].toLowerCase();
  const before = text.slice(0, text.length - word.length);
  const expected = expectedAfter(engine, side, before);
  let words = expected.filter((w) => /^[a-z*"]/.test(w) && w !== "the end"
    && !/^an? /.test(w)).map((w) => w.replace(/"/g, ""));
  if (expected.includes("the end")) words = AFTER_GRID.concat(words);
  if (expected.some((w) => /^"[,)]"$/.test(w)) && /(block|cyclic|\))\s+$/i.test(before))
    words = AFTER_FORMAT.concat(words);
  words = words.map((w) => OPENS[w] || w)
    .filter((w) => w.toLowerCase().startsWith(word) && w !== word);
  return { word, words: [...new Set(words)] };
}

/** The text with the wrong character marked, and the sentence. */
function errorLines(text, error) {
  const at = error.column - 1;
  const sentence = error.message.replace(/^(source|target): /, "")
    .replace(/^(--\w+: )?column \d+: /, "");
  if (at < 0) return [make("p", {}, sentence)];
  const word = /^\S*/.exec(text.slice(at))[0].replace(/[,()[\]].*$/, "");
  const wide = Math.max(word.length, 1);
  return [make("pre", { "data-column": error.column }, text.slice(0, at),
    make("mark", {}, text.slice(at, at + wide) || " "), text.slice(at + wide)),
  make("p", {}, sentence)];
}

class Editor {
  /** A field in `host` for a side; `changed` is called when its text changes,
   * `entered` by the key Enter. */
  constructor(host, { side, name, engine, changed, entered }) {
    Object.assign(this, { side, engine, changed, entered });
    const id = `${name}-text`;
    this.field = make("textarea", { id, rows: "1", spellcheck: "false",
      autocapitalize: "off", autocomplete: "off", role: "combobox",
      "aria-autocomplete": "list", "aria-expanded": "false",
      "aria-controls": `${id}-list`,
      "aria-describedby": `${id}-error` });
    this.list = make("ul", { class: "proposals", id: `${id}-list`, role: "listbox",
      hidden: true });
    this.error = make("div", { class: "error", id: `${id}-error`, role: "alert" });
    host.replaceChildren(make("label", { for: id }, name),
      make("div", { class: "field" }, this.field, this.list), this.error);
    this.chosen = -1;
    this.words = [];
    this.field.addEventListener("input", () => this.edited());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => setTimeout(() => {
      if (document.activeElement !== this.field) this.close(); // it may be back
    }, 150));
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) this.accept([...this.list.children].indexOf(item));
    });
    new ResizeObserver(() => this.fit()).observe(host);
  }

  get text() {
    return this.field.value.replace(/\s+/g, " ").trim();
  }

  set text(text) {
    this.field.value = text;
    this.close();
    this.fit();
  }

  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight + 2}px`;
  }

  edited() {
    this.fit();
    this.changed();
    this.propose();
  }

  /** Show what may come next, if the caret is at the end. */
  propose() {
    const { value, selectionStart } = this.field;
    if (selectionStart !== value.length || !value.trim()) {
      this.close();
      return;
    }
    const { word, words } = proposals(this.engine, this.side, value);
    this.word = word;
    this.words = words;
    this.chosen = -1;
    this.list.replaceChildren(...words.map((w, k) =>
      make("li", { role: "option", id: `${this.list.id}-${k}` }, w)));
    this.list.hidden = words.length === 0;
    this.field.setAttribute("aria-expanded", String(words.length > 0));
  }

  close() {
    this.words = [];
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }

  choose(k) {
    this.chosen = (k + this.words.length) % this.words.length;
    [...this.list.children].forEach((item, at) =>
      item.setAttribute("aria-selected", String(at === this.chosen)));
    this.field.setAttribute("aria-activedescendant", `${this.list.id}-${this.chosen}`);
  }

  accept(k) {
    const { value } = this.field;
    this.field.value = value.slice(0, value.length - this.word.length) + this.words[k];
    this.field.focus();
    this.edited();
  }

  enter() {
    this.close();
    this.entered();
  }

  key(event) {
    const open = this.words.length > 0;
    const actions = {
      ArrowDown: open && (() => this.choose(this.chosen + 1)),
      ArrowUp: open && (() => this.choose(this.chosen - 1)),
      Tab: open && !event.shiftKey && this.word !== ""
        && (() => this.accept(Math.max(this.chosen, 0))),
      Enter: open && this.chosen >= 0 ? () => this.accept(this.chosen)
        : () => this.enter(),
      Escape: open && (() => this.close()),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Show an error under its character, or none. */
  refuse(error) {
    this.field.setAttribute("aria-invalid", String(Boolean(error)));
    this.error.replaceChildren(...(error ? errorLines(this.text, error) : []));
  }
}

export { Editor, errorLines };
