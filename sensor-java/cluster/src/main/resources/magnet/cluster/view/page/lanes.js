// SPDX-License-Identifier: Apache-2.0
// Draws rows: nodes, the lanes of their CPUs, and lanes of single threads. Knows nothing of the mouse and of keys.
import { length, step, time } from "./units.js";

export const LABELS = 148;
export const AXIS = 34;
const NODE_ROW = 20;
const CPU_ROW = 31;
const THREAD_ROW = 24;
const HARD = [1, 3];
const SOFT = [4, 3];
const BAR = [8, 15];
const LATE = [24, 5];
const IDLE_COLOUR = "#eceff2";
/** Of a thread's states, in the order of the server's answer. */
export const STATES = [
  ["runs", null], ["could run, and waits for a CPU", "#f5c451"], ["the same, and a packet for it lies there", "late"],
  ["sleeps", "#e3e7eb"], ["waits for a device", "#56b4e9"], ["is stopped", "#8c959f"], ["not known", "#ffffff"]];

function rgb(hex) {
  const n = parseInt(hex.slice(1), 16);
  // As Uint32 of little-endian RGBA.
  return (0xff000000 | (n & 0xff) << 16 | (n & 0xff00) | n >> 16) >>> 0;
}

/** What is where: rows from top to bottom, with their places below the axis. */
export function layout(run, threads) {
  const rows = [];
  let top = 0;
  const add = (row, height) => {
    rows.push({ ...row, top, height });
    top += height;
  };
  run.nodes.forEach((node, n) => {
    add({ kind: "node", node: n }, NODE_ROW);
    node.cpus.forEach((number, cpu) => add({ kind: "cpu", node: n, cpu, number }, CPU_ROW));
    threads.filter(t => t.node === n).forEach(t => add({ kind: "thread", node: n, thread: t.thread }, THREAD_ROW));
  });
  return { rows, height: top };
}

/** Draws on a canvas; what it draws is given anew each time. */
export class Picture {
  constructor(canvas, run) {
    this.canvas = canvas;
    this.run = run;
    this.palette = run.palette.map(rgb);
    this.colours = Object.fromEntries(Object.entries(run.colours).map(([name, hex]) => [name, rgb(hex)]));
    this.idle = rgb(IDLE_COLOUR);
    this.states = STATES.map(([, hex]) => hex === null ? 0 : rgb(hex === "late" ? run.colours.late : hex));
    this.scratch = document.createElement("canvas");
  }

  /** Pixels of a lane. */
  get width() {
    return Math.max(50, Math.floor(this.canvas.clientWidth - LABELS - 8));
  }

  resize(height) {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.g = this.canvas.getContext("2d");
    this.g.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.height = height;
  }

  x(ns, view) {
    return LABELS + (ns - view.from) / (view.to - view.from) * this.width;
  }

  /** Everything. `data` has by row what the server said, as it was for `data.view`. */
  draw(state, rows, scroll, data) {
    const g = this.g;
    g.fillStyle = "#ffffff";
    g.fillRect(0, 0, this.canvas.clientWidth, this.height);
    g.save();
    g.beginPath();
    g.rect(0, AXIS, this.canvas.clientWidth, this.height - AXIS);
    g.clip();
    const visible = rows.filter(r => AXIS + r.top - scroll < this.height && r.top + r.height > scroll);
    for (const row of visible) {
      this.row(row, AXIS + row.top - scroll, state.view, data);
    }
    this.markers(data, rows, scroll, state.view);
    this.arrows(data, rows, scroll, state.view);
    g.restore();
    this.axis(state.view);
    if (state.selection) {
      this.selection(state.view, state.selection);
    }
  }

  row(row, y, view, data) {
    const g = this.g;
    const node = this.run.nodes[row.node];
    g.textBaseline = "middle";
    g.textAlign = "left";
    if (row.kind === "node") {
      g.fillStyle = "#eef3f8";
      g.fillRect(0, y, this.canvas.clientWidth, row.height);
      g.fillStyle = "#1f2328";
      g.font = "bold 12px system-ui, 'DejaVu Sans', sans-serif";
      g.fillText(node.name, 6, y + row.height / 2);
      g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
      g.fillStyle = "#57606a";
      const more = node.host === node.name ? "" : `trace of ${node.host} · `;
      g.fillText(`${more}${node.events} events · ${node.slices} slices${node.lost ? ` · ${node.lost} lost` : ""}`, LABELS,
        y + row.height / 2);
      return;
    }
    g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    g.fillStyle = "#1f2328";
    const bytes = data.pixels?.get(key(row));
    if (row.kind === "cpu") {
      g.fillText(`cpu ${row.number}`, 14, y + BAR[0] + BAR[1] / 2);
      this.paint(row, y, view, data.view, bytes, (p, i, w) => this.cpuPixels(p, i, w, row));
      this.labels(row, y + BAR[0], BAR[1], view, data);
    } else {
      const name = data.threads?.get(key(row))?.label ?? `thread ${row.thread}`;
      g.fillText(cut(g, name, LABELS - 34), 22, y + row.height / 2);
      g.fillStyle = "#8c959f";
      g.fillText("×", 8, y + row.height / 2);
      const colour = data.threads?.get(key(row))?.colour ?? 1;
      this.paint(row, y, view, data.view, bytes, (p, i, w) => this.threadPixels(p, i, w, row, colour));
    }
    g.strokeStyle = "#eaeef2";
    g.beginPath();
    g.moveTo(0, y + row.height - 0.5);
    g.lineTo(this.canvas.clientWidth, y + row.height - 0.5);
    g.stroke();
  }

  /** Pixels of another view are moved and stretched until those of this one are there. */
  paint(row, y, view, ofView, bytes, fill) {
    const node = this.run.nodes[row.node];
    const width = bytes ? bytes.length / (row.kind === "cpu" ? this.run.pixel_bytes : STATES.length) : 0;
    const from = Math.max(LABELS, this.x(node.begin, view));
    const to = Math.min(LABELS + this.width, this.x(node.end, view));
    if (to > from) {
      this.g.fillStyle = IDLE_COLOUR;
      this.g.fillRect(from, y + (row.kind === "cpu" ? BAR[0] : 3), to - from, row.kind === "cpu" ? BAR[1] : row.height - 7);
    }
    if (!bytes || width < 1) {
      return;
    }
    const scratch = this.scratch;
    scratch.width = width;
    scratch.height = row.height;
    const s = scratch.getContext("2d");
    const image = s.createImageData(width, row.height);
    fill(new Uint32Array(image.data.buffer), bytes, width);
    s.putImageData(image, 0, 0);
    const left = this.x(ofView.from, view);
    const right = this.x(ofView.to, view);
    this.g.save();
    this.g.beginPath();
    this.g.rect(LABELS, y, this.width, row.height);
    this.g.clip();
    this.g.imageSmoothingEnabled = false;
    this.g.drawImage(scratch, 0, 0, width, row.height, left, y, right - left, row.height);
    this.g.restore();
  }

  cpuPixels(pixels, bytes, width) {
    const size = this.run.pixel_bytes;
    const column = (x, [top, height], colour) => {
      for (let y = top; y < top + height; y++) {
        pixels[y * width + x] = colour;
      }
    };
    for (let x = 0; x < width; x++) {
      const at = x * size;
      const [busy, colour, lost, hard, soft, late] = bytes.subarray(at, at + size);
      if (lost) {
        const rows = Math.max(3, Math.round(BAR[1] * lost / 255));
        for (let y = BAR[0]; y < BAR[0] + rows; y++) {
          pixels[y * width + x] = (x + y) % 6 < 2 ? this.colours.lost : 0xffffffff;
        }
      }
      if (busy) {
        const rows = Math.max(1, Math.round(BAR[1] * busy / 255));
        column(x, [BAR[0] + BAR[1] - rows, rows], this.palette[colour]);
      }
      if (hard) {
        column(x, HARD, this.colours.hard);
      }
      if (soft) {
        column(x, SOFT, this.colours.soft);
      }
      if (late) {
        column(x, LATE, this.colours.late);
      }
    }
  }

  threadPixels(pixels, bytes, width, row, colour) {
    const count = STATES.length;
    const top = 3;
    const height = row.height - 7;
    for (let x = 0; x < width; x++) {
      // From the bottom: what runs, then what waits, then what sleeps.
      let y = top + height;
      for (let state = 0; state < count; state++) {
        const share = bytes[x * count + state];
        let rows = share ? Math.max(1, Math.round(height * share / 255)) : 0;
        for (; rows > 0 && y > top; rows--) {
          pixels[--y * width + x] = state === 0 ? this.palette[colour] : this.states[state];
        }
      }
    }
  }

  labels(row, y, height, view, data) {
    const g = this.g;
    g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    for (const slice of data.slices?.get(key(row)) ?? []) {
      const from = Math.max(LABELS, this.x(slice.from, view));
      const to = Math.min(LABELS + this.width, this.x(slice.to, view));
      if (slice.thread !== undefined && to - from > 34) {
        g.fillStyle = light(this.run.palette[slice.colour]) ? "#1f2328" : "#ffffff";
        g.fillText(cut(g, slice.name, to - from - 6), from + 3, y + height / 2 + 0.5);
        g.fillStyle = "#ffffff";
        g.fillRect(to - 0.5, y, 1, height);
      }
    }
  }

  markers(data, rows, scroll, view) {
    const g = this.g;
    const few = (data.markers?.length ?? 0) <= 40;
    g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    for (const marker of data.markers ?? []) {
      const row = rows.find(r => r.kind === "cpu" && r.node === marker.node && r.cpu === marker.cpu);
      const x = this.x(marker.at, view);
      if (!row || x < LABELS || x > LABELS + this.width) {
        continue;
      }
      const y = AXIS + row.top - scroll;
      g.fillStyle = "#1f2328";
      g.beginPath();
      g.moveTo(x - 4, y);
      g.lineTo(x + 4, y);
      g.lineTo(x, y + 7);
      g.fill();
      g.fillRect(x - 0.5, y, 1, row.height - 2);
      if (few) {
        const width = g.measureText(marker.text).width;
        g.fillStyle = "rgba(255,255,255,0.85)";
        g.fillRect(x + 5, y - 1, width + 4, 11);
        g.fillStyle = "#1f2328";
        g.fillText(marker.text, x + 7, y + 5);
      }
    }
  }

  arrows(data, rows, scroll, view) {
    const g = this.g;
    const middle = (node, cpu) => {
      const row = rows.find(r => r.kind === "cpu" && r.node === node && r.cpu === cpu);
      return row && AXIS + row.top - scroll + BAR[0] + BAR[1] / 2;
    };
    g.save();
    g.beginPath();
    g.rect(LABELS, AXIS, this.width, this.height);
    g.clip();
    g.globalAlpha = (data.arrows?.length ?? 0) > 60 ? 0.35 : 1;
    for (const arrow of data.arrows ?? []) {
      const y1 = middle(arrow.from_node, arrow.from_cpu);
      const y2 = middle(arrow.to_node, arrow.to_cpu);
      if (y1 === undefined || y2 === undefined) {
        continue;
      }
      const x1 = this.x(arrow.sent, view);
      const x2 = this.x(arrow.received, view);
      const angle = Math.atan2(y2 - y1, x2 - x1);
      g.strokeStyle = g.fillStyle = "#1f2328";
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
      g.stroke();
      g.beginPath();
      g.moveTo(x2, y2);
      g.lineTo(x2 - 7 * Math.cos(angle - 0.35), y2 - 7 * Math.sin(angle - 0.35));
      g.lineTo(x2 - 7 * Math.cos(angle + 0.35), y2 - 7 * Math.sin(angle + 0.35));
      g.fill();
      if (arrow.bound !== undefined && arrow.bound !== null) {
        // The whisker: the arrow may end anywhere along it.
        const half = arrow.bound / (view.to - view.from) * this.width;
        if (half > 1.5) {
          g.beginPath();
          g.moveTo(x2 - half, y2);
          g.lineTo(x2 + half, y2);
          for (const end of [x2 - half, x2 + half]) {
            g.moveTo(end, y2 - 3);
            g.lineTo(end, y2 + 3);
          }
          g.stroke();
        }
      }
    }
    g.restore();
  }

  axis(view) {
    const g = this.g;
    g.fillStyle = "#ffffff";
    g.fillRect(0, 0, this.canvas.clientWidth, AXIS);
    g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    g.textBaseline = "middle";
    g.textAlign = "center";
    const span = view.to - view.from;
    const each = step(span, this.width / 120);
    for (let ns = Math.ceil(view.from / each) * each; ns <= view.to; ns += each) {
      const x = Math.round(this.x(ns, view)) + 0.5;
      g.strokeStyle = "rgba(31,35,40,0.10)";
      g.beginPath();
      g.moveTo(x, AXIS - 6);
      g.lineTo(x, this.height);
      g.stroke();
      g.fillStyle = "#57606a";
      const text = time(ns, each);
      if (x + g.measureText(text).width / 2 < this.canvas.clientWidth) {
        g.fillText(text, x, AXIS - 13);
      }
    }
    g.textAlign = "left";
    g.fillStyle = "#57606a";
    g.fillText(length(span), 6, AXIS - 13);
    g.strokeStyle = "#8c959f";
    g.beginPath();
    g.moveTo(0, AXIS - 0.5);
    g.lineTo(this.canvas.clientWidth, AXIS - 0.5);
    g.stroke();
  }

  selection(view, [a, b]) {
    const g = this.g;
    const left = this.x(Math.min(a, b), view);
    const right = this.x(Math.max(a, b), view);
    g.save();
    g.beginPath();
    g.rect(LABELS, 0, this.width, this.height);
    g.clip();
    g.fillStyle = "rgba(0,114,178,0.10)";
    g.fillRect(left, AXIS, right - left, this.height);
    g.fillStyle = "#0072b2";
    g.fillRect(left - 0.5, 0, 1, this.height);
    g.fillRect(right - 0.5, 0, 1, this.height);
    g.restore();
    const text = length(Math.abs(b - a));
    g.font = "bold 11px system-ui, 'DejaVu Sans', sans-serif";
    const width = g.measureText(text).width + 8;
    const x = Math.max(LABELS, Math.min(LABELS + this.width - width, (left + right - width) / 2));
    g.fillStyle = "#0072b2";
    g.fillRect(x, 1, width, 13);
    g.fillStyle = "#ffffff";
    g.textAlign = "left";
    g.fillText(text, x + 4, 8);
  }
}

/** What sets a row apart. */
export function key(row) {
  return `${row.kind} ${row.node} ${row.cpu ?? row.thread}`;
}

function light(hex) {
  const n = parseInt(hex.slice(1), 16);
  return 0.299 * (n >> 16) + 0.587 * (n >> 8 & 255) + 0.114 * (n & 255) > 140;
}

function cut(g, text, width) {
  if (g.measureText(text).width <= width) {
    return text;
  }
  let end = text.length;
  while (end > 1 && g.measureText(`${text.slice(0, end)}…`).width > width) {
    end--;
  }
  return end > 1 ? `${text.slice(0, end)}…` : "";
}
