/** Ends a closed union; reaching it at run time means that a value escaped the parser at the edge. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
