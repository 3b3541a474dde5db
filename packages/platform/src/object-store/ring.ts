/** A ring allocator: hands out pieces of a fixed amount of memory in a circle; new pieces overwrite the oldest. */
export interface Ring {
  /**
   * Allocates a piece under a name; a piece that the name already has is dropped.
   * @returns the offset at which it begins
   * @throws Error when the piece is larger than the whole ring
   */
  take(name: string, length: number): number;
  find(name: string): Piece | undefined;
  /** Drops a piece; if it is the newest one, its room is used again first. */
  drop(name: string): void;
}

interface Piece {
  start: number;
  length: number;
}

export function createRing(length: number): Ring {
  // a Map keeps the order of insertion, which is the order in the ring
  const pieces = new Map<string, Piece>();
  let next = 0;

  /** Drops the oldest pieces for as long as they begin in this range. */
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
