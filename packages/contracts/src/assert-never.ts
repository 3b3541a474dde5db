/** Ends a `switch` over a union, so that a missing case does not compile. It throws only if a value was never checked by a schema. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
