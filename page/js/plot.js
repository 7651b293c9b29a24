// SPDX-License-Identifier: MIT
//
// plot.js - a drawing that can be zoomed, moved, pointed at and saved. It shows a window:
// an axis across and one down, each of which covers part of a range of integers.

import { CanvasPen, SvgPen, save } from "./pen.js";
import { styleColor } from "./color.js";
import { make } from "./dom.js";

/** Part of the integers 0 .. extent - 1, drawn on `size` pixels. */
class Axis {
  constructor(extent, shown = extent) {
    this.extent = extent;
    this.first = 0;
    this.shown = Math.min(Math.max(shown, 1), Math.max(extent, 1));
    this.home = this.shown;
    this.size = 1;
  }

  get pixels() {
    return this.size / this.shown;
  }

  at(unit) {
    return (unit - this.first) * this.pixels;
  }

  unit(pixel) {
    return Math.floor(this.first + pixel / this.pixels);
  }

  /** Of a huge extent a window cannot be smaller than what numbers of 53 bits tell
   * apart. */
  clamp() {
    const least = Math.max(Math.min(this.extent, 2), this.extent * 2 ** -44);
    this.shown = Math.min(Math.max(this.shown, least, 1), Math.max(this.extent, 1));
    this.first = Math.min(Math.max(this.first, 0), Math.max(this.extent - this.shown, 0));
  }

  /** Move the window so that a whole unit is seen. Returns the unit, within the range. */
  reveal(unit) {
    const inside = Math.min(Math.max(unit, 0), this.extent - 1);
    if (inside < this.first) this.first = inside;
    if (inside + 1 > this.first + this.shown) this.first = inside + 1 - this.shown;
    return inside;
  }

  zoom(factor, pixel) {
    const unit = this.first + pixel / this.pixels;
    this.shown /= factor;
    this.clamp();
    this.first = unit - pixel / this.pixels;
    this.clamp();
  }

  move(pixels) {
    this.first -= pixels / this.pixels;
    this.clamp();
  }

  reset() {
    this.first = 0;
    this.shown = this.home;
    this.clamp();
  }

  /** The units to compute: every one, or every step-th if they are finer than `least`
   * pixels. */
  sample(least = 1) {
    const step = Math.max(1, Math.ceil(least / this.pixels));
    const first = Math.floor(this.first / step) * step;
    const end = Math.min(this.extent, Math.ceil(this.first + this.shown));
    return { first, step, n: Math.max(0, Math.ceil((end - first) / step)) };
  }
}

/** A figure with a canvas. `drawing` has name, label, height(width), draw(pen, width,
 * height), axes() {across, down, left, top}, and may have point(place | null) and
 * walk(down, across), which moves what is pointed at. */
class Plot {
  constructor(host, drawing) {
    this.drawing = drawing;
    this.canvas = make("canvas", { tabindex: "0", role: "img",
      "aria-label": drawing.label });
    const button = (text, title, click) =>
      make("button", { type: "button", class: "mini", title, "aria-label": title, click },
        text);
    this.tools = make("div", { class: "tools" },
      button("+", "Zoom in", () => this.zoom(1.6)),
      button("−", "Zoom out", () => this.zoom(1 / 1.6)),
      button("⤢", "Show the first window again", () => this.reset()),
      button("SVG", "Save what is seen as SVG", () => this.saveSvg()),
      button("PNG", "Save what is seen as PNG", () => this.savePng()));
    host.replaceChildren(this.canvas, this.tools);
    this.pointers = new Map();
    this.listen();
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(host);
    this.host = host;
  }

  listen() {
    const on = (name, handler) => this.canvas.addEventListener(name, handler);
    on("pointerdown", (event) => {
      this.pointers.set(event.pointerId, event);
      this.canvas.setPointerCapture(event.pointerId);
      this.moved = false;
      this.point(this.place(event));
    });
    on("pointermove", (event) => this.pointerMoved(event));
    for (const name of ["pointerup", "pointercancel"])
      on(name, (event) => this.pointers.delete(event.pointerId));
    on("pointerleave", (event) => {
      if (event.pointerType !== "touch") this.point(null);
    });
    on("dblclick", (event) => this.zoom(2, event));
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== this.canvas) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), event);
    }, { passive: false });
    on("keydown", (event) => this.key(event));
  }

  /** Where a pointer is, in pixels of the axes. */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const { left = 0, top = 0 } = this.drawing.axes();
    return { x: event.clientX - box.left - left, y: event.clientY - box.top - top };
  }

  pointerMoved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.point(this.place(event));
      return;
    }
    const others = [...this.pointers.values()].filter((p) => p !== before);
    const dx = event.clientX - before.clientX;
    const dy = event.clientY - before.clientY;
    if (others.length === 1) {
      const away = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      this.zoom(away(event, others[0]) / Math.max(away(before, others[0]), 1), others[0]);
    } else if (this.moved || Math.hypot(dx, dy) > 3) {
      this.moved = true;
      const { across, down } = this.drawing.axes();
      across.move(dx);
      if (down) down.move(dy);
      this.redraw();
    } else {
      this.point(this.place(event));
      return;
    }
    this.pointers.set(event.pointerId, event);
    this.point(this.place(event));
  }

  zoom(factor, event) {
    const { across, down } = this.drawing.axes();
    const at = event ? this.place(event) : { x: across.size / 2, y: down ? down.size / 2
      : 0 };
    across.zoom(factor, at.x);
    if (down && !this.drawing.keepsDown) down.zoom(factor, at.y);
    this.redraw();
  }

  reset() {
    const { across, down } = this.drawing.axes();
    across.reset();
    if (down) down.reset();
    this.redraw();
  }

  key(event) {
    const { across, down } = this.drawing.axes();
    const step = 40;
    const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0],
      ArrowDown: [1, 0] }[event.key];
    if (event.shiftKey && way && this.drawing.walk) {
      event.preventDefault();
      this.drawing.walk(...way);
      return;
    }
    const actions = {
      ArrowLeft: () => across.move(step), ArrowRight: () => across.move(-step),
      ArrowUp: () => down && down.move(step), ArrowDown: () => down && down.move(-step),
      "+": () => this.zoom(1.6), "=": () => this.zoom(1.6), "-": () => this.zoom(1 / 1.6),
      0: () => this.reset(),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
    this.redraw();
  }

  point(place) {
    if (this.drawing.point) this.drawing.point(place);
  }

  /** Draw at the next frame. */
  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint(window.devicePixelRatio || 1);
    });
  }

  paint(ratio) {
    const width = this.host.clientWidth;
    if (!width) return;
    const height = this.drawing.height(width);
    this.size = [width, height];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = styleColor("paper");
    context.fillRect(0, 0, width, height);
    this.drawing.draw(new CanvasPen(context), width, height);
  }

  saveSvg() {
    const pen = new SvgPen(...this.size, styleColor("paper"));
    this.drawing.draw(pen, ...this.size);
    save(`${this.drawing.name}.svg`,
      new Blob([pen.toString()], { type: "image/svg+xml" }));
  }

  savePng() {
    this.paint(2);
    this.canvas.toBlob((blob) => {
      save(`${this.drawing.name}.png`, blob);
      this.redraw();
    });
  }

  forget() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }
}

/** Draw the numbers of an axis, every so many pixels. */
function ticks(axis, apart) {
  const raw = apart / axis.pixels;
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw));
  const list = [];
  const end = Math.min(axis.first + axis.shown, axis.extent);
  for (let k = Math.ceil(axis.first / step) * step; k < end; k += step) list.push(k);
  return list;
}

export { Axis, Plot, ticks };
