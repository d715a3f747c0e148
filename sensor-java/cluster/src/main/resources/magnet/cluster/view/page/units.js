// SPDX-License-Identifier: Apache-2.0
// Times as people read them. All times are whole nanoseconds.

const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/** A length: 1.234 ms. */
export function length(ns) {
  const size = Math.abs(ns);
  const [unit, factor] = UNITS.find(([, f]) => size >= f) ?? UNITS[3];
  const value = ns / factor;
  const digits = factor === 1 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return `${value.toFixed(digits)} ${unit}`;
}

/** A time of the run, as exact as a step needs. */
export function time(ns, step) {
  const [unit, factor] = UNITS.find(([, f]) => step >= f / 10) ?? UNITS[3];
  const scale = step >= 1e8 ? UNITS[0] : [unit, factor];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / scale[1]) - 1e-9)));
  return `${group((ns / scale[1]).toFixed(digits))} ${scale[0]}`;
}

/** A time of the run in seconds, to the microsecond. */
export function stamp(ns) {
  return `${(ns / 1e9).toFixed(6)} s`;
}

/** A number with its thousands apart. */
export function count(number) {
  return group(String(number));
}

function group(text) {
  const [whole, part] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, " ");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** Steps of an axis: 1, 2 or 5 times a power of ten, so many that they are not too close. */
export function step(span, most) {
  const least = Math.max(1, span / most);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= least);
}

/** A share as a percentage. */
export function percent(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "–";
}
