// @ts-check
import { cpus } from "node:os";

/** How often it is looked how busy the processors are, in ms: a suite that was let in needs some seconds until it costs what it costs. */
const lookEveryMs = 8_000;
/** From this idle share of all processors on, one more may run, … */
const roomFrom = 0.15;
/** … and up to this one, one less: what waits would only make the others slower. */
const shortUpTo = 0.02;

/**
 * Says by how many the number of suites that run at once should change.
 * @param {number} atOnce how many may run now
 * @param {number} idle share of the processors' time in which none of them worked, 0 to 1
 * @param {{ least: number, most: number }} range
 * @returns {-1 | 0 | 1}
 */
export function stepFor(atOnce, idle, { least, most }) {
  if (idle >= roomFrom && atOnce < most) return 1;
  return idle <= shortUpTo && atOnce > least ? -1 : 0;
}

/**
 * Lets as many suites run at once as keep the processors busy: integration tests wait more than they compute, but not always.
 * @param {{ allow(more: number): void }} turns of which `range.least` are allowed already
 * @param {{ least: number, most: number }} range
 * @returns {() => void} ends it
 */
export function keepBusy(turns, range) {
  let atOnce = range.least;
  let before = workOf();
  const timer = setInterval(() => {
    const now = workOf();
    const step = stepFor(atOnce, (now.idle - before.idle) / (now.all - before.all), range);
    before = now;
    atOnce += step;
    if (step !== 0) turns.allow(step);
  }, lookEveryMs);
  return () => clearInterval(timer);
}

/** The time that all processors spent until now, and how much of it with nothing to do, in ms. */
function workOf() {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, idle: none, irq }) => sum + user + nice + sys + none + irq, 0);
  return { idle, all };
}
