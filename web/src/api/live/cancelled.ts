/** Runs that somebody stopped in this tab: their end is not announced as a success. */
const cancelled = new Set<string>();

export const noteCancelled = (runId: string): void => void cancelled.add(runId);
export const wasCancelled = (runId: string | null): boolean => runId !== null && cancelled.has(runId);
