/**
 * What is made once for each key: `Intl` takes up to a millisecond for a format, and a list needs several in each of
 * its rows while somebody scrolls.
 */
export function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const found = made.get(key) ?? make(key);
    made.set(key, found);
    return found;
  };
}
