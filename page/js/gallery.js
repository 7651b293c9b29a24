// SPDX-License-Identifier: MIT
//
// gallery.js - ten examples.

const EXAMPLES = [
  { name: "Rows to a 2 × 2 grid", about: "a matrix by rows becomes ScaLAPACK's",
    source: "[4096,4096] (block,*) onto 4",
    target: "[4096,4096] (cyclic(64),cyclic(64)) onto 2x2" },
  { name: "ScaLAPACK, 64 to 128", about: "another block size on the same 4 × 4 grid",
    source: "[4096,4096] (cyclic(64),cyclic(64)) onto 4x4",
    target: "[4096,4096] (cyclic(128),cyclic(128)) onto 4x4" },
  { name: "Pencils of a Fourier transform", about: "in 3-D, from columns to rows",
    source: "[64,64,64] (*,block,block) onto 2x2",
    target: "[64,64,64] (block,*,block) onto 2x2" },
  { name: "Elastic, 30 to 31", about: "a job gets one process more",
    source: "[9300] (block) onto 30", target: "[9300] (block) onto 31" },
  { name: "No barriers, no idle source", about: "the timeline attains W = 15",
    source: "[90] (cyclic(3)) onto 6", target: "[90] (cyclic(5)) onto 9" },
  { name: "Walker and Otto", about: "cyclic to cyclic(12) on 16 processes",
    source: "[192] (cyclic) onto 16", target: "[192] (cyclic(12)) onto 16" },
  { name: "Guo and Pan", about: "cyclic(4) to cyclic(3) on 5 processes",
    source: "[60] (cyclic(4)) onto 5", target: "[60] (cyclic(3)) onto 5" },
  { name: "A staircase", about: "uneven blocks that keep their order",
    source: "[90] (gen_block(10,25,5,20,20,10)) onto 6",
    target: "[90] (gen_block(25,5,20,10,25,5)) onto 6" },
  { name: "A transpose", about: "by the pairing of axes, rows on both sides",
    source: "[96,64] (block,*) onto 6", target: "[64,96] (block,*) onto 6 axes (1,0)" },
  { name: "A million processes", about: "only what is seen is computed",
    source: "[12000000] (cyclic(3)) onto 1000000",
    target: "[12000000] (cyclic(4)) onto 1000000" },
];

export { EXAMPLES };
