/** The positions of each token in one side: `list[start[id]…start[id + 1]-1]`, ascending. */
export interface Positions {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

/** Lists the positions of every token of `a` (counting sort, linear). `ids`: tokens are 0…ids-1. */
export function positionsOf(a: Int32Array, ids: number): Positions {
  const start = new Int32Array(ids + 1);
  for (let i = 0; i < a.length; i++) {
    const next = (a[i] ?? 0) + 1;
    start[next] = (start[next] ?? 0) + 1;
  }
  for (let id = 0; id < ids; id++) start[id + 1] = (start[id + 1] ?? 0) + (start[id] ?? 0);
  const fill = start.slice(0, ids);
  const list = new Int32Array(a.length);
  for (let i = 0; i < a.length; i++) {
    const id = a[i] ?? 0;
    const at = fill[id] ?? 0;
    fill[id] = at + 1;
    list[at] = i;
  }
  return { start, list };
}
