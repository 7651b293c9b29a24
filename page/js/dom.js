// SPDX-License-Identifier: MIT
//
// dom.js - elements of the page, and numbers for people.

const $ = (selector) => document.querySelector(selector);

/** Make an element: its attributes or, of functions, its listeners; then its children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** 1234567 as 1 234 567, with thin spaces. */
function count(number) {
  if (number === null || number === undefined) return "–";
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

/** At most three digits and a unit. */
function scaled(number, units, base) {
  let k = 0;
  let rest = number;
  while (rest >= 0.9995 * base && k + 1 < units.length) {
    rest /= base;
    k++;
  }
  const text = rest >= 100 || Number.isInteger(rest) ? rest.toFixed(0)
    : String(Number(rest.toPrecision(3)));
  return `${text}\u202f${units[k]}`;
}

const bytes = (number) => scaled(number, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"],
  1024);

function seconds(number) {
  if (number === null || number === undefined) return "–";
  if (number === 0) return "0\u202fs";
  return scaled(number * 1e12, ["ps", "ns", "µs", "ms", "s"], 1000);
}

const percent = (part, all) =>
  (all > 0 ? `${(100 * part / all).toFixed(1)}\u202f%` : "–");
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

export { $, make, count, bytes, seconds, percent, plural };
