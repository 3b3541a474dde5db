/**
 * A row that a worker holds; its `fence` (a number that grows with each claim) shows that no other worker has taken it
 * since.
 */
export interface Held {
  id: string;
  fence: number;
}

export interface Lease {
  /** False once the row was cancelled, deleted or given to another worker. */
  holds(id: string): boolean;
  /** Stops renewing rows that are finished. */
  letGo(ids: readonly string[]): void;
  /**
   * Whether this process stood still for longer than a lease (it was stopped, or its machine hung). Its deadlines passed meanwhile, so the
   * outcome of what it was doing says nothing about the page, and the rows must be given back.
   */
  slept(): boolean;
  end(): void;
}

/** Returns how long a lease lasts: it runs out a little before the bus delivers the message to another worker, so that this worker finds the rows free. */
export function leaseMsOf(ackWaitMs: number): number {
  return ackWaitMs - Math.min(5_000, ackWaitMs / 4);
}

/**
 * Renews the lease of rows while their message is worked on, and tells the bus that the work continues.
 * @param renew extends the leases and returns the ids that are still held
 * @param now milliseconds of a clock that goes on while the process stands still
 */
export function keepLease(
  rows: readonly Held[],
  ackWaitMs: number,
  renew: (held: Held[]) => Promise<string[]>,
  working: () => void,
  now: () => number = () => performance.now(),
): Lease {
  const held = new Map(rows.map((row) => [row.id, row]));
  const leaseMs = leaseMsOf(ackWaitMs);
  let heardAt = now();
  let hasSlept = false;
  const timer = setInterval(() => {
    hasSlept ||= now() - heardAt > leaseMs;
    heardAt = now();
    working();
    if (held.size === 0) return;
    const asked = [...held.values()];
    renew(asked).then(
      (still) => {
        const kept = new Set(still);
        for (const row of asked) if (!kept.has(row.id)) held.delete(row.id);
      },
      // the database is unavailable: nobody else can take the rows either, and the fence protects what is written later
      () => undefined,
    );
  }, ackWaitMs / 4);
  return {
    holds: (id) => held.has(id),
    letGo: (ids) => {
      for (const id of ids) held.delete(id);
    },
    slept: () => hasSlept || now() - heardAt > leaseMs,
    end: () => clearInterval(timer),
  };
}
