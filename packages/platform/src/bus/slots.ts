/** A counting semaphore, first come first served. */
export interface Slots {
  /** Resolves with the function that gives the slot back; giving back twice does nothing. */
  take(): Promise<() => void>;
  /** Resolves once a slot is free, without taking it. */
  free(): Promise<void>;
  readonly used: number;
}

export function createSlots(size: number): Slots {
  let used = 0;
  const takers: (() => void)[] = [];
  const watchers: (() => void)[] = [];

  function give(): void {
    const next = takers.shift();
    if (next !== undefined) {
      next();
      return;
    }
    used--;
    for (const watcher of watchers.splice(0)) watcher();
  }

  return {
    get used() {
      return used;
    },
    async take() {
      if (used < size) used++;
      else await new Promise<void>((resolve) => takers.push(resolve));
      let given = false;
      return () => {
        if (given) return;
        given = true;
        give();
      };
    },
    async free() {
      while (used >= size) await new Promise<void>((resolve) => watchers.push(resolve));
    },
  };
}
