/**
 * Finds all occurrences of many pieces in one pass over a text (Aho and Corasick, 1975). Building takes time and memory linear in the
 * pieces; a pass takes time linear in the text and in the number of occurrences.
 */
export class PieceFinder {
  readonly #lengths: readonly number[];
  readonly #edges: Edges;
  /**
   * For each node: the node to continue from when no edge fits; the piece that ends there, or -1; the next node along the fallbacks where a
   * piece ends, or 0.
   */
  readonly #fallback: Int32Array;
  readonly #piece: Int32Array;
  readonly #ending: Int32Array;

  /** @param pieces distinct and not empty */
  constructor(pieces: readonly string[]) {
    this.#lengths = pieces.map(({ length }) => length);
    const nodesMax = 1 + this.#lengths.reduce((sum, length) => sum + length, 0);
    this.#edges = new Edges(nodesMax);
    this.#fallback = new Int32Array(nodesMax);
    this.#piece = new Int32Array(nodesMax).fill(-1);
    this.#ending = new Int32Array(nodesMax);
    const parents = new Int32Array(nodesMax);
    const codes = new Uint16Array(nodesMax);
    const levels: number[][] = [];
    let nodes = 1;
    pieces.forEach((piece, index) => {
      let node = 0;
      for (let at = 0; at < piece.length; at += 1) {
        const code = piece.charCodeAt(at);
        let next = this.#edges.get(node, code);
        if (next === 0) {
          next = nodes;
          nodes += 1;
          this.#edges.add(node, code, next);
          parents[next] = node;
          codes[next] = code;
          (levels[at] ??= []).push(next);
        }
        node = next;
      }
      this.#piece[node] = index;
    });
    // breadth first: the fallbacks of nodes nearer to the root have to be known first
    for (const node of levels.slice(1).flat()) {
      const parent = parents[node] ?? 0;
      this.#fallback[node] = this.#step(this.#fallback[parent] ?? 0, codes[node] ?? 0);
    }
    for (const node of levels.flat()) {
      const fallback = this.#fallback[node] ?? 0;
      this.#ending[node] = this.#piece[fallback] === -1 ? (this.#ending[fallback] ?? 0) : fallback;
    }
  }

  /** Calls `found` with the number, start and end of each occurrence, in the order of their ends, until it returns true. */
  find(text: string, found: (piece: number, start: number, end: number) => boolean): void {
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      node = this.#step(node, text.charCodeAt(at));
      for (
        let ending = this.#piece[node] === -1 ? (this.#ending[node] ?? 0) : node;
        ending !== 0;
        ending = this.#ending[ending] ?? 0
      ) {
        const piece = this.#piece[ending] ?? 0;
        if (found(piece, at + 1 - (this.#lengths[piece] ?? 0), at + 1)) return;
      }
    }
  }

  #step(from: number, code: number): number {
    for (let node = from; ; node = this.#fallback[node] ?? 0) {
      const next = this.#edges.get(node, code);
      if (next !== 0 || node === 0) return next;
    }
  }
}

const { imul } = Math;

/** The edges of a tree in a hash table of typed arrays: small and fast, unlike a Map of half a million numbers. */
class Edges {
  readonly #mask: number;
  readonly #from: Int32Array;
  readonly #code: Uint16Array;
  readonly #to: Int32Array;

  constructor(edgesMax: number) {
    const size = 2 ** Math.ceil(Math.log2(edgesMax * 2));
    this.#mask = size - 1;
    this.#from = new Int32Array(size);
    this.#code = new Uint16Array(size);
    this.#to = new Int32Array(size);
  }

  /** @returns 0 when there is no edge */
  get(from: number, code: number): number {
    return this.#to[this.#placeOf(from, code)] ?? 0;
  }

  add(from: number, code: number, to: number): void {
    const place = this.#placeOf(from, code);
    this.#from[place] = from;
    this.#code[place] = code;
    this.#to[place] = to;
  }

  #placeOf(from: number, code: number): number {
    let hash = imul(from, 0x9e3779b1) ^ imul(code, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let place = hash & this.#mask; ; place = (place + 1) & this.#mask)
      if (this.#to[place] === 0 || (this.#from[place] === from && this.#code[place] === code)) return place;
  }
}
