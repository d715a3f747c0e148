// SPDX-License-Identifier: Apache-2.0
// Questions to magnet view. An answer that comes after a younger one of its kind was asked for is left out.

const newest = new Map();

async function get(what, parameters) {
  const response = await fetch(`${what}?${new URLSearchParams(parameters)}`);
  if (!response.ok) {
    throw new Error((await response.text()).trim());
  }
  return response;
}

/** An answer in JSON. */
export async function ask(what, parameters = {}) {
  return (await get(what, parameters)).json();
}

/** An answer in bytes. */
export async function bytes(what, parameters) {
  return new Uint8Array(await (await get(what, parameters)).arrayBuffer());
}

/** Does what is to be done, unless something of this kind was begun meanwhile: then gives undefined. */
export async function latest(kind, asking) {
  const turn = (newest.get(kind) ?? 0) + 1;
  newest.set(kind, turn);
  const answer = await asking();
  return newest.get(kind) === turn ? answer : undefined;
}
