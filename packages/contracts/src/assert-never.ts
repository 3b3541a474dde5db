/** Ends a `switch` over a union: a case that is missing does not compile. Reached at run time, a value was never checked by a schema. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
