/** What is restored for an entry of the browser's history: the scroll position in px, and how many parts of lists were opened. */
interface Place {
  y: number;
  opened: Record<string, number>;
}

const kept = "places";
/** The key under which the router stores its own positions. */
const routerKept = "react-router-scroll-positions";
const places = new Map<string, Place>(read());

/** The key of a history entry: the router's, or the address for the first one, which has none. */
export const placeKey = ({ key, pathname, search }: { key: string; pathname: string; search: string }): string =>
  key === "default" ? `${pathname}${search}` : key;

export function placeOf(key: string): Place {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = { y: 0, opened: {} };
  places.set(key, place);
  return place;
}

/** Notes how many parts of a list are opened. */
export function noteOpened(key: string, list: string, parts: number): void {
  placeOf(key).opened[list] = parts;
}

/** Reads the stored places, which a reload or going back restores; a newly entered address begins at its top. */
function read(): [string, Place][] {
  try {
    const [entry] = performance.getEntriesByType("navigation");
    const isNew = entry !== undefined && "type" in entry && entry.type === "navigate";
    if (isNew) sessionStorage.removeItem(routerKept);
    const all = JSON.parse(sessionStorage.getItem(kept) ?? "[]") as [string, Place][];
    return isNew ? all.filter(([key]) => key !== `${location.pathname}${location.search}`) : all;
  } catch {
    return [];
  }
}

/** Stores the newest places, so that they survive a reload. */
export function keepPlaces(): void {
  try {
    sessionStorage.setItem(kept, JSON.stringify([...places].slice(-100)));
  } catch {
    // without storage nothing is restored, and lists begin at their top
  }
}
