// @ts-check

/**
 * @template Thing
 * @typedef {object} Held
 * @property {Thing} thing
 * @property {string} kind
 * @property {NodeJS.Timeout | undefined} end is near; undefined: somebody uses it
 */

/**
 * Keeps things that are dear to make, such as running products, for whoever needs one of the same kind next. One that nobody takes for a while
 * is ended, because it costs something while it waits, too.
 * @template Thing
 * @param {(thing: Thing) => Promise<void>} end
 * @param {number} idleMs how long one is kept that nobody uses
 */
export function openPool(end, idleMs) {
  /** @type {Map<string, Held<Thing>>} */
  const pool = new Map();
  /** @type {Set<Promise<void>>} */
  const ending = new Set();
  let made = 0;

  /** @param {string} id */
  function remove(id) {
    const held = pool.get(id);
    if (held === undefined) throw new Error(`Nobody knows ${id}`);
    pool.delete(id);
    clearTimeout(held.end);
    return end(held.thing);
  }

  /** Ends one for which nobody waits; `close` tells when that fails. @param {string} id */
  function removeIdle(id) {
    const ended = remove(id);
    ending.add(ended);
    ended.then(
      () => ending.delete(ended),
      () => undefined,
    );
  }

  return {
    /**
     * @param {string} kind things of one kind are interchangeable
     * @param {(id: string) => Promise<Thing>} make is called if there is none of this kind that nobody uses
     */
    async take(kind, make) {
      for (const held of pool.values()) {
        if (held.end === undefined || held.kind !== kind) continue;
        clearTimeout(held.end);
        held.end = undefined;
        return held.thing;
      }
      const id = String(++made);
      const thing = await make(id);
      pool.set(id, { thing, kind, end: undefined });
      return thing;
    },
    /** Lets others have it. @param {string} id */
    giveBack(id) {
      const held = pool.get(id);
      if (held === undefined) throw new Error(`Nobody knows ${id}`);
      held.end = setTimeout(() => removeIdle(id), idleMs);
    },
    remove,
    /** Ends all of them, and waits for those that are ending. */
    async close() {
      for (const id of pool.keys()) removeIdle(id);
      await Promise.all(ending);
    },
  };
}
