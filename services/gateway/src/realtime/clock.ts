/** What needs time needs of the world; real timers outside tests. */
export interface Clock {
  nowMs(): number;
  /** @returns a function that calls the timer off */
  after(delayMs: number, run: () => void): () => void;
}
