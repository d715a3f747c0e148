// SPDX-License-Identifier: Apache-2.0
// The page: what is shown, the mouse, keys, and the address, which has all that is needed to show the same again.
import { AXIS, LABELS, Picture, STATES, key, layout } from "./lanes.js";
import { Panel, lines, who } from "./panel.js";
import { ask, bytes, latest } from "./server.js";
import { count, time } from "./units.js";

const LEAST = 20;
const ARROWS = 500;
/** Lanes that are asked for at once: several questions are answered side by side. */
const GROUP = 8;
const ZOOM = 1.5;
const PAN = 0.15;

const byId = id => document.getElementById(id);
const run = await ask("run");
const canvas = byId("canvas");
const picture = byId("picture");
const state = { view: { from: 0, to: run.end }, selection: null, threads: [] };
const data = { view: state.view };
const drawing = new Picture(canvas, run);
let placed = layout(run, []);
let mouse = null;
let drag = null;

const panel = new Panel(byId("panel-body"), byId("panel").querySelector("nav"), run, {
  time() {
    return state.selection
      ? { from: Math.min(...state.selection), to: Math.max(...state.selection), selected: true }
      : { ...state.view, selected: false };
  },
  choose(kind) {
    panel.show(kind);
    remember();
  },
  show(from, to) {
    const margin = Math.max(LEAST, to - from);
    state.selection = [from, to];
    look(from - margin, to + margin);
  },
  addThread(node, thread) {
    if (!state.threads.some(t => t.node === node && t.thread === thread)) {
      state.threads.push({ node, thread });
      place();
      changed();
    }
  },
});

// ---- the address

function remember() {
  const all = new URLSearchParams({ from: state.view.from, to: state.view.to });
  if (state.selection) {
    all.set("a", state.selection[0]);
    all.set("b", state.selection[1]);
  }
  if (state.threads.length) {
    all.set("threads", state.threads.map(t => `${t.node}.${t.thread}`).join(" "));
  }
  if (panel.kind !== "start" && panel.kind !== "slice" && panel.kind !== "found") {
    all.set("show", panel.kind);
  }
  history.replaceState(null, "", `#${all}`);
}

function recall() {
  const all = new URLSearchParams(location.hash.slice(1));
  const number = name => all.has(name) && Number.isFinite(+all.get(name)) ? Math.round(+all.get(name)) : null;
  state.view = bounded(number("from") ?? 0, number("to") ?? run.end);
  state.selection = number("a") === null || number("b") === null ? null : [number("a"), number("b")];
  state.threads = (all.get("threads") ?? "").split(" ").map(t => t.split(".").map(Number))
    .filter(([node, thread]) => run.nodes[node] && thread >= 0).map(([node, thread]) => ({ node, thread }));
  place();
  panel.show(all.get("show") ?? "start");
}

// ---- what is shown

function bounded(from, to) {
  const span = Math.max(LEAST, Math.min(Math.round(to - from), Math.round(run.end * 1.1)));
  const begin = Math.max(-Math.round(run.end * 0.05), Math.min(Math.round(from), Math.round(run.end * 1.05) - span));
  return { from: begin, to: begin + span };
}

function look(from, to) {
  state.view = bounded(from, to);
  changed();
}

function place() {
  placed = layout(run, state.threads);
  byId("rows").style.height = `${placed.height + AXIS}px`;
}

/** Something else is to be shown: what is known is drawn at once, and the rest is asked for. */
function changed() {
  draw();
  remember();
  fetchAll();
  clearTimeout(changed.timer);
  changed.timer = setTimeout(() => panel.refresh(), 250);
}

function draw() {
  drawing.resize(picture.clientHeight);
  drawing.draw(state, placed.rows, picture.scrollTop, data);
}

function visible() {
  const scroll = picture.scrollTop;
  return placed.rows.filter(r => r.top < scroll + picture.clientHeight && r.top + r.height > scroll);
}

async function fetchAll() {
  try {
    await fetchPixels();
    await fetchDetails();
  } catch (e) {
    byId("status").textContent = `magnet view does not answer: ${e.message}`;
  }
}

async function fetchPixels() {
  const view = state.view;
  const width = drawing.width;
  const rows = visible();
  const cpus = rows.filter(r => r.kind === "cpu");
  const pixels = await latest("pixels", async () => {
    const found = new Map();
    const groups = [];
    for (let i = 0; i < cpus.length; i += GROUP) {
      groups.push(cpus.slice(i, i + GROUP));
    }
    await Promise.all(groups.map(async group => {
      const all = await bytes("pixels", { ...view, width, lanes: group.map(r => `${r.node}.${r.cpu}`).join(",") });
      const each = width * run.pixel_bytes;
      group.forEach((row, i) => found.set(key(row), all.subarray(i * each, (i + 1) * each)));
    }));
    for (const row of rows.filter(r => r.kind === "thread")) {
      found.set(key(row), await bytes("thread-pixels", { ...view, width, node: row.node, thread: row.thread }));
    }
    return found;
  });
  if (pixels) {
    data.view = view;
    data.pixels = pixels;
    data.slices = null;
    draw();
  }
}

async function fetchDetails() {
  const view = state.view;
  const rows = visible();
  const details = await latest("details", async () => {
    const [arrows, markers] = await Promise.all([ask("arrows", { ...view, most: ARROWS }), ask("markers", { ...view, most: 500 })]);
    const slices = new Map();
    const threads = new Map();
    for (const row of rows) {
      if (state.view !== view) {
        break;
      }
      if (row.kind === "cpu") {
        slices.set(key(row), (await ask("slices", { ...view, node: row.node, cpu: row.cpu })).threads);
      } else if (row.kind === "thread") {
        const { name, tid, colour, whole } = await ask("thread", { from: view.from, to: view.from + 1, node: row.node, thread: row.thread });
        threads.set(key(row), { label: `${who({ name, tid })}${whole ? "" : " (first slices)"}`, colour });
      }
    }
    return { arrows, markers, slices, threads };
  });
  if (details) {
    data.arrows = details.arrows.arrows;
    data.markers = details.markers.markers;
    data.slices = details.slices;
    data.threads = details.threads;
    data.arrowsInAll = details.arrows.in_all;
    draw();
    status();
    document.body.dataset.ready = `${view.from} ${view.to}`;
  }
}

// ---- what is under the mouse

function at(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  const ns = state.view.from + (x - LABELS) / drawing.width * (state.view.to - state.view.from);
  const below = y - AXIS + picture.scrollTop;
  return { x, y, ns: Math.round(ns), row: y < AXIS ? undefined : placed.rows.find(r => below >= r.top && below < r.top + r.height) };
}

async function under(place) {
  const { row, ns } = place;
  if (!row || place.x < LABELS || row.kind === "node") {
    return undefined;
  }
  const pixel = Math.max(1, Math.ceil((state.view.to - state.view.from) / drawing.width));
  const span = { from: ns - Math.floor(pixel / 2), to: ns - Math.floor(pixel / 2) + pixel };
  if (row.kind === "thread") {
    const thread = await ask("thread", { ...span, node: row.node, thread: row.thread });
    return longest(thread.spans)?.state && { ...longest(thread.spans), name: who(thread) };
  }
  const slices = await ask("slices", { ...span, node: row.node, cpu: row.cpu });
  const y = place.y - AXIS + picture.scrollTop - row.top;
  const interrupts = y < 4 ? slices.hard : y < 8 ? slices.soft : [];
  return longest(interrupts.length ? interrupts : slices.threads);
}

function longest(slices) {
  return slices.reduce((best, each) => !best || each.to - each.from > best.to - best.from ? each : best, undefined);
}

async function tell(event) {
  const place = at(event);
  const slice = await latest("tip", () => under(place).catch(() => undefined));
  const tip = byId("tip");
  tip.hidden = !slice || drag !== null;
  if (slice) {
    const state = slice.state ? [slice.state.replace("_", " "), slice.cause].filter(Boolean).join(": ") : null;
    tip.textContent = [who(slice), state,
      ...lines(run, place.row, slice)].filter(Boolean).join("\n");
    tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 380)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - 120)}px`;
  }
}

function status() {
  const parts = [];
  if (mouse) {
    parts.push(time(mouse.ns, Math.max(1, (state.view.to - state.view.from) / drawing.width)));
    parts.push(new Date(Number(BigInt(run.origin_ns) / 1000000n) + mouse.ns / 1e6).toISOString());
  }
  if (data.arrowsInAll > ARROWS) {
    parts.push(`one of ${Math.ceil(data.arrowsInAll / ARROWS)} of ${count(data.arrowsInAll)} packets is drawn`);
  }
  byId("status").textContent = parts.join(" · ");
}

canvas.addEventListener("mousemove", event => {
  mouse = at(event);
  if (drag) {
    drag.moved ||= Math.abs(mouse.x - drag.x) > 3;
    if (drag.moved) {
      state.selection = [drag.ns, mouse.ns];
      draw();
    }
  }
  status();
  clearTimeout(tell.timer);
  byId("tip").hidden = true;
  tell.timer = setTimeout(() => tell(event), 60);
});
canvas.addEventListener("mouseleave", () => {
  clearTimeout(tell.timer);
  byId("tip").hidden = true;
});
canvas.addEventListener("mousedown", event => {
  if (event.button === 0) {
    drag = { ...at(event), moved: false };
  }
});
window.addEventListener("mouseup", async event => {
  if (!drag) {
    return;
  }
  const begun = drag;
  drag = null;
  if (begun.moved) {
    changed();
  } else if (begun.row?.kind === "thread" && begun.x < LABELS) {
    state.threads = state.threads.filter(t => t.node !== begun.row.node || t.thread !== begun.row.thread);
    place();
    changed();
  } else {
    const slice = await under(at(event)).catch(() => undefined);
    if (slice) {
      panel.slice(begun.row, slice);
    }
  }
});
canvas.addEventListener("wheel", event => {
  const span = state.view.to - state.view.from;
  if (event.ctrlKey) {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1 / ZOOM : ZOOM, at(event).ns);
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    const way = (event.deltaX || event.deltaY) / drawing.width * span;
    look(state.view.from + way, state.view.to + way);
  }
}, { passive: false });

// ---- keys

function zoom(factor, around) {
  const { from, to } = state.view;
  const middle = around ?? (mouse && mouse.x >= LABELS ? mouse.ns : (from + to) / 2);
  look(middle - (middle - from) * factor, middle + (to - middle) * factor);
}

function pan(share) {
  const way = (state.view.to - state.view.from) * share;
  look(state.view.from + way, state.view.to + way);
}

function toSelection() {
  if (state.selection) {
    const [a, b] = [Math.min(...state.selection), Math.max(...state.selection)];
    const margin = (b - a) * 0.1;
    look(a - margin, b + margin);
  }
}

const KEYS = {
  w: () => zoom(1 / ZOOM),
  s: () => zoom(ZOOM),
  a: () => pan(-PAN),
  d: () => pan(PAN),
  f: toSelection,
  0: () => look(0, run.end),
  "?": () => byId("help").open ? byId("help").close() : byId("help").showModal(),
  "/": () => byId("search-text").focus(),
  Escape: () => {
    state.selection = null;
    changed();
  },
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT" || (byId("help").open && event.key !== "?")) {
    return;
  }
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (action) {
    event.preventDefault();
    action();
  }
});

byId("search").addEventListener("submit", event => {
  event.preventDefault();
  byId("search-text").blur();
  panel.found(byId("search-text").value);
});
byId("whole").addEventListener("click", KEYS[0]);
byId("to-selection").addEventListener("click", toSelection);
byId("help-button").addEventListener("click", KEYS["?"]);

function save(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

byId("png").addEventListener("click", () => canvas.toBlob(blob => save(URL.createObjectURL(blob), "magnet-view.png")));
byId("svg").addEventListener("click", () => {
  const lanes = placed.rows.filter(r => r.kind === "cpu").map(r => `${r.node}.${r.cpu}`).slice(0, 500).join(",");
  save(`picture.svg?${new URLSearchParams({ ...state.view, width: drawing.width, lanes })}`, "magnet-view.svg");
});

// ---- the legend

function legend(colour, text) {
  const line = document.createElement("div");
  const patch = document.createElement("canvas");
  patch.width = 34;
  patch.height = 14;
  const g = patch.getContext("2d");
  if (colour === "hatched") {
    for (let x = 0; x < 34; x++) {
      for (let y = 0; y < 14; y++) {
        g.fillStyle = (x + y) % 6 < 2 ? run.colours.lost : "#ffffff";
        g.fillRect(x, y, 1, 1);
      }
    }
  } else {
    g.fillStyle = colour;
    g.fillRect(0, 0, 34, 14);
  }
  line.append(patch, text);
  byId("legend").append(line);
}

legend(run.colours.late, "a thread waits for this CPU although a packet for it lies in its socket");
legend("hatched", "events were lost, or the trace does not say who ran");
legend(run.colours.hard, "a handler of a hard interrupt runs");
legend(run.colours.soft, "a handler of a soft interrupt runs");
if (run.of_jobs) {
  Object.entries(run.jobs).slice(0, 40).forEach(([job, number]) => legend(run.palette[number], `job ${job}`));
  legend(run.palette[1], "threads of no job");
} else {
  legend(run.palette[2], "threads: each name has one of ten colours, because no thread has a job");
}
STATES.slice(1, 6).filter(([, colour]) => colour !== "late").forEach(([text, colour]) => legend(colour, `lane of a thread: it ${text}`));

// ---- begin

byId("title").textContent = run.title;
document.title = `${run.title} – magnet view`;
for (const remark of run.remarks) {
  const line = document.createElement("p");
  line.textContent = remark;
  byId("remarks").append(line);
}
picture.addEventListener("scroll", () => {
  draw();
  fetchAll();
});
new ResizeObserver(() => {
  draw();
  fetchAll();
}).observe(picture);
window.addEventListener("hashchange", () => {
  recall();
  draw();
  fetchAll();
});
recall();
changed();
