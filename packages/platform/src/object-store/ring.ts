/** Room of one length, given out piece by piece; whoever came first makes way for whoever comes last. */
export interface Ring {
  /**
   * Makes room under a name, which may have some already.
   * @returns where it begins
   * @throws Error where there is not so much in all
   */
  take(name: string, length: number): number;
  find(name: string): Piece | undefined;
  /** The room of the last one is given out again first. */
  drop(name: string): void;
}

export interface Piece {
  start: number;
  length: number;
}

export function createRing(length: number): Ring {
  // a Map keeps the order of insertion, which is that in which the ring goes round
  const pieces = new Map<string, Piece>();
  let next = 0;

  /** Drops those that came first as long as they begin in this part. */
  function clear(from: number, to: number): void {
    for (const [name, { start }] of pieces) {
      if (start < from || start >= to) return;
      pieces.delete(name);
    }
  }

  return {
    take(name, wanted) {
      const room = Math.max(wanted, 1);
      if (room > length) throw new Error(`${wanted} bytes have no room among ${length}`);
      pieces.delete(name);
      if (next + room > length) {
        clear(next, length);
        next = 0;
      }
      clear(next, next + room);
      const start = next;
      pieces.set(name, { start, length: wanted });
      next += room;
      return start;
    },
    find: (name) => pieces.get(name),
    drop(name) {
      const piece = pieces.get(name);
      if (piece === undefined) return;
      pieces.delete(name);
      if (piece.start + Math.max(piece.length, 1) === next) next = piece.start;
    },
  };
}
