// SPDX-License-Identifier: MIT
//
// worker.js - what may take long, in threads of their own: commands, and all schedules.
// The page ends the threads when its question is another.

import { Engine, SOURCE, TARGET } from "./engine.js";

// With more messages no schedule is drawn whole, and with more processes none is named.
const MOST_BARS = 1 << 14;
const MOST_PROCESSES = 1 << 16;

/** Make all schedules of a question, and tell of each as soon as it is made. */
function makeSchedules(engine, { source, target, bytes, sizes }, tell) {
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
}

/** Answer a question {what, module, ..}: the output of a command, of which it has the
 * `words`, or all schedules. */
function answer(engine, question, tell) {
  const { what, words } = question;
  try {
    if (words) tell({ [what]: engine.command(...words) });
    else makeSchedules(engine, question, tell);
    tell({ done: what });
  } catch (error) {
    tell({ done: what, sentence: error.message });
  }
}

/** Be the thread. */
function serve() {
  const tell = (message, moved) => self.postMessage(message, moved || []);
  let engine = null;
  let made = -1;
  self.onmessage = ({ data }) => {
    if (data.module) {
      engine = new Engine(data.module);
      answer(engine, data, tell);
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

let url = null; // of the text of this program

/** Start a thread with this program, and ask it. */
function startWorker(question, hear) {
  const program = document.getElementById("program").textContent;
  url = url || URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url);
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => hear({ done: question.what, sentence: event.message });
  worker.postMessage(question);
  return worker;
}

export { serve, startWorker };
