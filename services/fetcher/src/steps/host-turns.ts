/** The requests that one page in a browser makes to its own host, within that host's limit. */
export interface HostTurns {
  /** Waits for a turn at the page's own host; for other hosts it returns at once. The returned function gives the turn back. */
  enter(host: string, port: number): Promise<() => void>;
  /** Gives all places back, and wakes all that wait. */
  end(): void;
}

/**
 * Creates the turns of a page, which begins with one place at its host, so one request at a time. It takes more places, up
 * to `most`, as it needs them and they are free, and keeps them until it ends.
 * @param more takes one more place, null where none is free
 */
export function createHostTurns(
  own: { host: string; port: number },
  most: number,
  more: () => Promise<(() => void) | null>,
): HostTurns {
  const places: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let free = 1;
  let isAsking = false;
  let isOver = false;

  function give(): void {
    const next = waiting.shift();
    if (next !== undefined) next();
    else free += 1;
  }

  async function askForMore(): Promise<void> {
    if (isAsking || isOver || places.length + 1 >= most) return;
    isAsking = true;
    const place = await more().catch(() => null);
    isAsking = false;
    if (place === null) return;
    if (isOver) return place();
    places.push(place);
    give();
    if (waiting.length > 0) await askForMore();
  }

  return {
    async enter(host, port) {
      if (isOver || host !== own.host || port !== own.port) return () => undefined;
      if (free > 0) free -= 1;
      else {
        void askForMore();
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      let isGiven = false;
      return () => {
        if (!isGiven) give();
        isGiven = true;
      };
    },
    end() {
      isOver = true;
      for (const place of places.splice(0)) place();
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
