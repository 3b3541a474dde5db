/** Runs that somebody stopped in this tab: their end is no success to announce. */
const cancelled = new Set<string>();

export const noteCancelled = (runId: string): void => void cancelled.add(runId);
export const wasCancelled = (runId: string | null): boolean => runId !== null && cancelled.has(runId);
