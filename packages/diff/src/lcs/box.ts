/** A region still to be compared: tokens `aLo…aHi-1` against `bLo…bHi-1`. */
export interface Box {
  readonly aLo: number;
  readonly aHi: number;
  readonly bLo: number;
  readonly bHi: number;
}

/** For each token of a side: 1 = changed, 0 = part of the common subsequence. The unchanged tokens of both sides pair up in order. */
export interface Changed {
  readonly a: Uint8Array;
  readonly b: Uint8Array;
}
