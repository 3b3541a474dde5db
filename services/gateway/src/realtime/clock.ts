/** The clock and timers that realtime code uses; tests replace them. */
export interface Clock {
  nowMs(): number;
  /**
   * Runs something after a delay.
   * @returns a function that cancels the timer
   */
  after(delayMs: number, run: () => void): () => void;
}
