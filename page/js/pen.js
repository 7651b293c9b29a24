// SPDX-License-Identifier: MIT
//
// pen.js - the same drawing on a canvas and as SVG. A pen draws rectangles, lines and
// texts; lengths are in pixels of CSS.

const SANS = "system-ui, sans-serif";
const MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, monospace";

class CanvasPen {
  constructor(context) {
    this.context = context;
  }

  rect(x, y, width, height, color, alpha = 1) {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = color;
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  frame(x, y, width, height, color, thick = 1) {
    this.context.strokeStyle = color;
    this.context.lineWidth = thick;
    this.context.strokeRect(x, y, width, height);
  }

  line(x1, y1, x2, y2, color, { thick = 1, dash = [] } = {}) {
    const context = this.context;
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.setLineDash([]);
  }

  text(x, y, text, { size = 11, align = "left", color, mono = true } = {}) {
    const context = this.context;
    context.font = `${size}px ${mono ? MONO : SANS}`;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillStyle = color;
    context.fillText(text, x, y);
  }

  clip(x, y, width, height) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip() {
    this.context.restore();
  }
}

const escapeText = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;")
  .replace(/"/g, "&quot;");
const short = (number) => String(Math.round(number * 100) / 100);

class SvgPen {
  constructor(width, height, paper) {
    this.size = [width, height];
    this.parts = [`<rect width="${short(width)}" height="${short(height)}" `
      + `fill="${paper}"/>`];
    this.clips = 0;
  }

  rect(x, y, width, height, color, alpha = 1) {
    if (width <= 0 || height <= 0) return;
    const opacity = alpha < 1 ? ` fill-opacity="${short(alpha)}"` : "";
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" `
      + `height="${short(height)}" fill="${color}"${opacity}/>`);
  }

  frame(x, y, width, height, color, thick = 1) {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" `
      + `height="${short(height)}" fill="none" stroke="${color}" `
      + `stroke-width="${thick}"/>`);
  }

  line(x1, y1, x2, y2, color, { thick = 1, dash = [] } = {}) {
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    this.parts.push(`<line x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" `
      + `y2="${short(y2)}" stroke="${color}" stroke-width="${thick}"${dashes}/>`);
  }

  text(x, y, text, { size = 11, align = "left", color, mono = true } = {}) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" font-size="${size}" `
      + `text-anchor="${anchor}" dominant-baseline="central" fill="${color}" `
      + `font-family="${mono ? MONO : SANS}">${escapeText(text)}</text>`);
  }

  clip(x, y, width, height) {
    const id = `clip${this.clips++}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${short(x)}" y="${short(y)}" `
      + `width="${short(width)}" height="${short(height)}"/></clipPath>`
      + `<g clip-path="url(#${id})">`);
  }

  unclip() {
    this.parts.push("</g>");
  }

  toString() {
    const [width, height] = this.size.map(short);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `
      + `viewBox="0 0 ${width} ${height}">\n${this.parts.join("\n")}\n</svg>\n`;
  }
}

/** Offer a file to the user. */
function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export { CanvasPen, SvgPen, save };
