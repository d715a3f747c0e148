// SPDX-License-Identifier: Apache-2.0
// The panel beside the picture: what was longest, figures of a time, what was found, one slice.
import { ask, latest } from "./server.js";
import { count, length, percent, stamp } from "./units.js";

const TITLES = {
  waits: ["Longest waits", "A thread could run, and another one had the CPU."],
  remote: ["Remote waits", "A thread could run and did not, while a packet for it lay in its socket: whoever sent it waits, too."],
  idle: ["Longest idle gaps", "A CPU had nothing to do."],
};

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text !== undefined) {
    made.textContent = text;
  }
  parent?.append(made);
  return made;
}

/** A thread with its id, which is its name if it has no other. */
export function who(thread) {
  return thread.tid === undefined || thread.name === `thread ${thread.tid}` ? thread.name : `${thread.name} ${thread.tid}`;
}

function packets(number) {
  return number === 1 ? "One packet was under way between nodes." : `${count(number)} packets were under way between nodes.`;
}

/** `actions`: show(from, to), addThread(node, thread), time() of which figures are told. */
export class Panel {
  constructor(body, nav, run, actions) {
    this.body = body;
    this.nav = nav;
    this.run = run;
    this.actions = actions;
    this.kind = "start";
    for (const button of nav.querySelectorAll("button")) {
      button.addEventListener("click", () => actions.choose(button.dataset.kind));
    }
  }

  /** Shows a kind of contents, for the time that is chosen. */
  async show(kind) {
    this.kind = kind;
    for (const button of this.nav.querySelectorAll("button")) {
      button.classList.toggle("chosen", button.dataset.kind === kind);
    }
    try {
      const made = await latest("panel", () => this.make(kind));
      if (made) {
        this.body.replaceChildren(...made);
      }
    } catch (e) {
      this.body.replaceChildren(element("p", e.message));
    }
  }

  /** The time has changed. */
  refresh() {
    if (this.kind === "stats" || TITLES[this.kind]) {
      this.show(this.kind);
    }
  }

  make(kind) {
    if (kind === "start") {
      return this.start();
    }
    return kind === "stats" ? this.stats() : this.longest(kind, 50);
  }

  async start() {
    const parts = [element("p", this.summary())];
    for (const kind of Object.keys(TITLES)) {
      const [title, , list] = await this.longest(kind, 3);
      parts.push(title, list);
    }
    parts.push(element("p", "Drag over the picture to measure a time. Press ? for all keys."));
    return parts;
  }

  summary() {
    const nodes = this.run.nodes;
    const sum = f => nodes.reduce((all, node) => all + f(node), 0);
    const words = [`${nodes.length === 1 ? "One node" : `${nodes.length} nodes`}`, `${sum(n => n.cpus.length)} CPUs`,
      `${length(this.run.end)}`, `${count(sum(n => n.events))} events`, `${count(sum(n => n.slices))} slices`];
    if (nodes.length > 1) {
      words.push(`${count(this.run.arrows)} packets from node to node`);
    }
    return `${words.join(", ")}.`;
  }

  async longest(kind, most) {
    const { from, to } = this.actions.time();
    const rows = await ask("longest", { kind, from, to, most });
    const list = element("ol");
    for (const row of rows) {
      const button = element("button", undefined, element("li", undefined, list));
      element("b", length(row.to - row.from), button);
      button.append(kind === "idle" ? this.place(row) : who(row));
      element("span", this.describe(kind, row), button);
      this.bar(button, (row.to - row.from) / (rows[0].to - rows[0].from || 1), kind);
      button.addEventListener("click", () => {
        if (row.thread !== undefined) {
          this.actions.addThread(row.node, row.thread);
        }
        this.actions.show(row.from, row.to);
      });
    }
    if (rows.length === 0) {
      element("p", "None in this time.", list);
    }
    const head = element("h2", TITLES[kind][0]);
    return [head, element("p", `${TITLES[kind][1]} ${kind === "idle" ? "Those that lie" : "Those that end"} ${this.where()}`), list];
  }

  bar(parent, share, kind) {
    const bar = element("i", undefined, parent);
    bar.className = "bar";
    bar.style.width = `${Math.max(1, 100 * share)}%`;
    bar.style.background = kind === "remote" ? this.run.colours.late : "#56b4e9";
  }

  where() {
    const { from, to, selected } = this.actions.time();
    return `${selected ? "in the selection" : "in what you see"}, ${length(to - from)}:`;
  }

  place(row) {
    const node = this.run.nodes[row.node];
    return `${node.name} cpu ${node.cpus[row.cpu]}`;
  }

  describe(kind, row) {
    const parts = [`at ${stamp(row.from)}`];
    if (kind !== "idle") {
      parts.unshift(this.place(row));
      if (row.sender_node !== undefined) {
        parts.push(`packet from ${row.sender ?? "somebody"} on ${this.run.nodes[row.sender_node].name}`);
      } else if (row.cause) {
        parts.push(row.cause);
      }
      if (row.ran) {
        parts.push(`${row.ran} ran meanwhile`);
      }
      if (row.job) {
        parts.push(row.job);
      }
    }
    return parts.join(" · ");
  }

  async stats() {
    const { from, to } = this.actions.time();
    const stats = await ask("stats", { from, to, most: 20 });
    const parts = [element("h2", "Figures"), element("p", `What happened ${this.where()}`)];
    if (stats.nodes.length > 1) {
      parts.push(element("p", packets(stats.arrows)));
    }
    for (const node of stats.nodes) {
      parts.push(element("h2", node.node), this.figures(node), this.threads(node));
    }
    return parts;
  }

  figures(node) {
    const all = node.length * node.cpus;
    const table = element("table");
    const row = (...cells) => {
      const line = element("tr", undefined, table);
      cells.forEach(cell => element("td", cell, line));
    };
    row("threads ran", length(node.busy + node.open), percent(node.busy + node.open, all));
    row("idle", length(node.idle), percent(node.idle, all));
    row("hard interrupts", length(node.hard), percent(node.hard, all));
    row("soft interrupts", length(node.soft), percent(node.soft, all));
    row("slices", count(node.slices), "");
    row("idle gaps", count(node.idle_gaps), `longest ${length(node.idle_longest)}`);
    row("waits for a CPU", count(node.waits), `longest ${length(node.wait_longest)}`);
    row("… in all", length(node.wait), "");
    row("remote waits", count(node.packet_waits), `longest ${length(node.packet_wait_longest)}`);
    row("… in all", length(node.packet_wait), "");
    return table;
  }

  threads(node) {
    const table = element("table");
    const head = element("tr", undefined, table);
    ["thread", "slices", "ran", "waited"].forEach(cell => element("th", cell, head));
    for (const thread of node.threads) {
      const line = element("tr", undefined, table);
      [who(thread), count(thread.slices), length(thread.busy), length(thread.wait)]
        .forEach(cell => element("td", cell, line));
    }
    return table;
  }

  /** What a search has found. */
  async found(text) {
    this.kind = "found";
    const made = await latest("panel", async () => {
      const found = await ask("search", { q: text, most: 200 });
      const list = element("ol");
      for (const thread of found.threads) {
        const button = element("button", undefined, element("li", undefined, list));
        button.append(who(thread));
        element("span", `${this.run.nodes[thread.node].name} · process ${thread.process}${thread.job ? ` · ${thread.job}` : ""}`,
          button);
        button.addEventListener("click", () => this.actions.addThread(thread.node, thread.thread));
      }
      for (const marker of found.markers) {
        const button = element("button", undefined, element("li", undefined, list));
        element("b", stamp(marker.at), button);
        button.append(marker.text);
        element("span", `marker on ${this.run.nodes[marker.node].name}`, button);
        button.addEventListener("click", () => this.actions.show(marker.at, marker.at + 1000));
      }
      const all = found.threads.length + found.markers.length;
      return [element("h2", `“${text}”`),
        element("p", all === 0 ? "Nothing has this in its name." : "A thread gets a lane of its own when you click it."), list];
    });
    if (made) {
      for (const button of this.nav.querySelectorAll("button")) {
        button.classList.remove("chosen");
      }
      this.body.replaceChildren(...made);
    }
  }

  /** One slice that was clicked. */
  slice(row, slice) {
    this.kind = "slice";
    const parts = [element("h2", who(slice))];
    for (const line of lines(this.run, row, slice)) {
      parts.push(element("p", line));
    }
    if (slice.thread !== undefined) {
      const button = element("button", "show this thread as a lane");
      button.addEventListener("click", () => this.actions.addThread(row.node, slice.thread));
      parts.push(button);
    }
    this.body.replaceChildren(...parts);
  }
}

/** What there is to say about a slice. */
export function lines(run, row, slice) {
  const all = [`${length(slice.to - slice.from)}${slice.open ? " or more: the trace lacks its begin or its end" : ""}`,
    `from ${stamp(slice.from)} on ${run.nodes[row.node].name}${row.number === undefined ? "" : ` cpu ${row.number}`}`];
  if (slice.process) {
    all.push(`process ${slice.process}${slice.job ? `, job ${slice.job}` : ""}`);
  }
  if (slice.waited !== undefined) {
    all.push(`waited ${length(slice.waited)} for the CPU${slice.cause ? `: ${slice.cause}` : ""}`);
  }
  if (slice.why) {
    all.push(`then: ${slice.why.replace("_", " ")}`);
  }
  return all;
}
