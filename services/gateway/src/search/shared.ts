/** Copies bytes into memory that threads share. */
export function sharedBytes(bytes: Uint8Array): Uint8Array {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  return view;
}

/** Copies integers into memory that threads share. */
export function sharedIntegers(values: ArrayLike<number>): Int32Array {
  const view = new Int32Array(new SharedArrayBuffer(values.length * Int32Array.BYTES_PER_ELEMENT));
  view.set(values);
  return view;
}
