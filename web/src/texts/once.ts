/**
 * Caches what is made for each key: making an `Intl` format takes up to a millisecond, and a list needs several in each of its rows
 * while somebody scrolls.
 */
export function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const found = made.get(key) ?? make(key);
    made.set(key, found);
    return found;
  };
}
