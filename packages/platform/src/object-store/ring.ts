/** Gives out pieces of a fixed amount of room in a circle: new pieces take the place of the oldest. */
export interface Ring {
  /**
   * Takes room under a name, which may have a piece already.
   * @returns where it begins
   * @throws Error where all the room is smaller
   */
  take(name: string, length: number): number;
  find(name: string): Piece | undefined;
  /** Gives up a piece; the room of the newest one is used again first. */
  drop(name: string): void;
}

interface Piece {
  start: number;
  length: number;
}

export function createRing(length: number): Ring {
  // a Map keeps the order of insertion, which is that in which the ring goes round
  const pieces = new Map<string, Piece>();
  let next = 0;

  /** Drops the oldest pieces while they begin in this part. */
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
