// SPDX-License-Identifier: MIT
//
// color.js - one colour for each process, the same everywhere. The first nine are Paul
// Tol's "light" scheme, which people with any colour vision can tell apart; further hues
// advance by the golden angle, and neighbours differ in lightness, too.

const FIRST = ["#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#44bb99", "#99ddff",
  "#bbcc33", "#aaaa00", "#dddddd"];
const cache = new Map();

/** OKLCH to a colour of CSS. */
function fromHue(lightness, chroma, degrees) {
  const hue = degrees * Math.PI / 180;
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => {
    const level = Math.min(Math.max(linear, 0), 1);
    const shown = level <= 0.0031308 ? 12.92 * level : 1.055 * level ** (1 / 2.4) - 0.055;
    return Math.round(shown * 255).toString(16).padStart(2, "0");
  });
  return "#" + channels.join("");
}

/** The colour of a process. Black text is legible on it. */
function rankColor(rank) {
  if (rank < FIRST.length) return FIRST[rank];
  if (!cache.has(rank)) {
    const lightness = [0.84, 0.7, 0.77][rank % 3];
    cache.set(rank, fromHue(lightness, 0.11, (rank * 137.50776) % 360));
  }
  return cache.get(rank);
}

/** A colour of the page's style, by the name of its variable. */
function styleColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/** Between two colours #rrggbb, at 0 .. 1. */
function mix(from, to, at) {
  const channel = (color, k) => parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16);
  return "#" + [0, 1, 2].map((k) => Math.round(channel(from, k) * (1 - at)
    + channel(to, k) * at).toString(16).padStart(2, "0")).join("");
}

export { rankColor, styleColor, mix };
