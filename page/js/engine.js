// SPDX-License-Identifier: MIT
//
// engine.js - the library as a module of WebAssembly: instantiate it, and call it.

const SOURCE = 0;
const TARGET = 1;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The library said no: the sentence, and the column of the wrong character, or 0. */
class Refusal extends Error {
  constructor(sentence) {
    super(sentence);
    const column = /(?:^|: )column (\d+): /.exec(sentence);
    this.column = column ? Number(column[1]) : 0;
  }
}

/** What a module imports. Only output exists; all else fails. */
function importsOf(module, written, memory) {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = imports[from] || {};
    imports[from][name] = from === "env"
      ? () => { throw new Error(`${name}: a page has one process`); }
      : () => 8; // WASI's EBADF
  }
  const system = imports.wasi_snapshot_preview1;
  system.fd_write = (descriptor, vectors, count, total) => {
    const view = new DataView(memory().buffer);
    let bytes = 0;
    for (let k = 0; k < count; k++) {
      const at = view.getUint32(vectors + 8 * k, true);
      const length = view.getUint32(vectors + 8 * k + 4, true);
      written[descriptor] += decoder.decode(new Uint8Array(memory().buffer, at, length));
      bytes += length;
    }
    view.setUint32(total, bytes, true);
    return 0;
  };
  system.fd_fdstat_get = (descriptor, at) => {
    new Uint8Array(memory().buffer, at, 24).fill(0).set([descriptor < 3 ? 2 : 0]);
    return descriptor < 3 ? 0 : 8;
  };
  system.clock_time_get = (clock, precision, at) => {
    const now = BigInt(Math.round(performance.now() * 1e6));
    new DataView(memory().buffer).setBigUint64(at, now, true);
    return 0;
  };
  return imports;
}

/** One instance of the library. */
class Engine {
  constructor(module) {
    this.module = module;
    this.revive();
  }

  /** Begin anew, as after a crash. */
  revive() {
    this.written = ["", "", ""];
    const imports = importsOf(this.module, this.written, () => this.call.memory);
    this.call = new WebAssembly.Instance(this.module, imports).exports;
    this.call._initialize();
  }

  /** Write texts for the next call, each ended by a 0. */
  give(...texts) {
    const bytes = encoder.encode(texts.join("\0") + "\0");
    const at = this.call.page_text(bytes.length);
    new Uint8Array(this.call.memory.buffer, at, bytes.length).set(bytes);
  }

  textAt(at) {
    const bytes = new Uint8Array(this.call.memory.buffer, at);
    return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  check(failed) {
    if (failed) throw new Refusal(this.textAt(this.call.page_message()));
  }

  /** What was printed since the last time. */
  printed() {
    const text = this.written[1];
    this.written[1] = this.written[2] = "";
    return text;
  }

  /** Run a command of the tool; return its output. */
  command(...words) {
    this.printed();
    this.give(...words);
    const status = this.call.page_command(words.length);
    const sentence = this.written[2].split("\n")[0].replace(/^redist[^:]*: /, "");
    const output = this.printed();
    if (status) throw new Refusal(sentence || this.textAt(this.call.page_message()));
    return output;
  }

  parse(side, text) {
    this.give(text);
    this.check(this.call.page_parse(side));
  }

  pair() {
    this.check(this.call.page_pair());
  }

  describe(side) {
    this.printed();
    this.call.page_describe(side);
    return JSON.parse(this.printed());
  }

  /** A copy of an array that the library returned. */
  array(Type, at, count) {
    if (!at && count > 0) this.check(true);
    return new Type(this.call.memory.buffer, at, count).slice();
  }

  /** Integers for the next call, in the place of a text. */
  integers(Type, numbers, room) {
    const at = this.call.page_text(room);
    const array = new Type(this.call.memory.buffer, at, numbers.length);
    array.set(numbers);
    return at;
  }

  /** The ranks that own a window, or what it is paired with: rows and columns are {first,
   * step, n}. */
  owners(side, paired, dims, at, rows, columns) {
    const room = this.integers(BigInt64Array, at.map(BigInt), 16 * 8 + 8);
    new Int32Array(this.call.memory.buffer, room + 128, 2).set(dims);
    const table = this.call.page_owners(side, paired ? 1 : 0, room + 128, room,
      BigInt(rows.first), BigInt(rows.step), rows.n,
      BigInt(columns.first), BigInt(columns.step), columns.n);
    return this.array(Int32Array, table, rows.n * columns.n);
  }

  element(side, index) {
    const room = this.integers(BigInt64Array, index.map(BigInt), 16 * 8);
    this.printed();
    this.check(this.call.page_element(side, room));
    return JSON.parse(this.printed());
  }

  /** Elements that sampled sources send to bins of targets. */
  grid(rows, columns) {
    const table = this.call.page_grid(BigInt(rows.first), BigInt(rows.step), rows.n,
      BigInt(columns.first), BigInt(columns.step), columns.n);
    return this.array(Float64Array, table, rows.n * columns.n);
  }

  position(side, rank) {
    return Number(this.call.page_position(side, rank));
  }

  volumes(side, { first, step, n }) {
    const table = this.call.page_volumes(side, BigInt(first), BigInt(step), n);
    const numbers = this.array(Float64Array, table, n * 4);
    return Array.from({ length: n }, (_, k) => ({
      rank: numbers[4 * k], moved: numbers[4 * k + 1],
      messages: numbers[4 * k + 2], kept: numbers[4 * k + 3],
    }));
  }

  // ---- schedules ----------------------------------------------------------------------

  problem(source, target, bytes) {
    this.give(source, target);
    this.check(this.call.page_problem(bytes));
  }

  /** The figures of the k-th schedule, as `redist schedule --json` prints them. */
  schedule(k) {
    this.printed();
    this.check(this.call.page_schedule(k));
    const figures = JSON.parse(this.printed());
    figures.says = this.textAt(this.call.page_schedule_says(k));
    figures.paper = this.textAt(this.call.page_schedule_source(k));
    return figures;
  }

  /** Six numbers for each message of the schedule, in one array: p, q, its length, its
   * step, and its start with barriers and without. */
  bars() {
    const n = this.call.page_bars_read();
    this.check(n < 0);
    const bars = new Float64Array(6 * n);
    for (const barriers of [1, 0]) {
      const at = this.call.page_bars_place(barriers);
      const view = new DataView(this.call.memory.buffer, at);
      for (let k = 0; k < n; k++) {
        bars[6 * k] = view.getInt32(32 * k, true);
        bars[6 * k + 1] = view.getInt32(32 * k + 4, true);
        bars[6 * k + 2] = Number(view.getBigInt64(32 * k + 8, true));
        bars[6 * k + 3] = Number(view.getBigInt64(32 * k + 16, true));
        bars[6 * k + (barriers ? 4 : 5)] = Number(view.getBigInt64(32 * k + 24, true));
      }
    }
    return bars;
  }

  /** The messages that sources first .. first + n - 1 send, in the same form. They begin
   * at their steps. */
  lanes(first, n) {
    const bars = [];
    for (let c = first; c < first + n; c++) {
      const length = this.call.page_own_read(SOURCE, BigInt(c));
      this.check(length < 0);
      const view = new DataView(this.call.memory.buffer, this.call.page_own());
      for (let k = 0; k < length; k++) {
        const step = Number(view.getBigInt64(24 * k + 16, true));
        bars.push(c, view.getInt32(24 * k, true),
          Number(view.getBigInt64(24 * k + 8, true)), step, step, step);
      }
    }
    return Float64Array.from(bars);
  }

  scheduleRank(side, c) {
    return this.call.page_schedule_rank(side, BigInt(c));
  }
}

export { SOURCE, TARGET, Refusal, Engine };
