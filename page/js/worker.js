// SPDX-License-Identifier: MIT
//
// worker.js - what may take long, in a thread of its own: explain, and all schedules. The
// page ends the thread when its question is another.

import { Engine, SOURCE, TARGET } from "./engine.js";

// With more messages no schedule is drawn whole, and with more processes none is named.
const MOST_BARS = 1 << 14;
const MOST_PROCESSES = 1 << 16;

/** Answer the question {module, source, target, type, bytes, node, sizes}. */
function answer(question, tell) {
  const { source, target, type, bytes, node, sizes } = question;
  const engine = new Engine(question.module);
  const attempt = (name, work) => {
    try {
      work();
    } catch (error) {
      tell({ failed: name, sentence: error.message });
    }
  };
  attempt("explain", () => tell({ explain: engine.command("explain", source, target,
    "--type", type, "--node", String(node), "--json") }));
  attempt("schedules", () => {
    engine.problem(source, target, bytes);
    const named = sizes.every((size) => size <= MOST_PROCESSES);
    const ranks = [SOURCE, TARGET].map((side) => Int32Array.from(
      { length: named ? sizes[side] : 0 }, (_, c) => engine.scheduleRank(side, c)));
    const n = engine.call.page_schedules();
    tell({ ranks, schedules: n });
    for (let k = 0; k < n; k++) {
      const figures = engine.schedule(k);
      const whole = figures.messages !== null && figures.messages <= MOST_BARS;
      const bars = figures.applicable && whole ? engine.bars() : null;
      tell({ schedule: k, figures, bars }, bars ? [bars.buffer] : []);
    }
  });
  tell({ done: true });
  return engine;
}

/** Be the thread. */
function serve() {
  const tell = (message, moved) => self.postMessage(message, moved || []);
  let engine = null;
  let made = -1;
  self.onmessage = ({ data }) => {
    if (data.module) {
      engine = answer(data, tell);
      return;
    }
    // the lanes of a schedule that is too long to be drawn whole
    if (made !== data.lanes) engine.schedule(data.lanes);
    made = data.lanes;
    tell({ lanes: made, first: data.first, n: data.n,
      bars: engine.lanes(data.first, data.n),
      ranks: Array.from({ length: data.n },
        (_, k) => engine.scheduleRank(SOURCE, data.first + k)) });
  };
}

/** Start the thread with the text of this program. */
function startWorker(hear) {
  const program = document.getElementById("program").textContent;
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => hear({ failed: "all", sentence: event.message });
  return worker;
}

export { serve, startWorker };
