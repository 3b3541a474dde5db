/** How long an answer may take until it is asked whether the server answers at all, in ms. */
export const patienceMs = 3_000;

/** Statuses of a proxy whose server is away. */
const away: readonly number[] = [502, 504];

let doubtedSince: number | null = null;
const listeners = new Set<() => void>();

function set(since: number | null): void {
  if ((doubtedSince === null) === (since === null)) return;
  doubtedSince = since;
  for (const listener of [...listeners]) listener();
}

/** Says that the server may be away; any answer of it says that it is not. */
export const doubt = (): void => set(Date.now());

/** Since when the server may be away; null while nothing speaks for it. */
export const isDoubtedSince = (): number | null => doubtedSince;

/** @returns how to stop */
export function onDoubt(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sends a request, and doubts the server when it takes long, or no answer comes. A request that was given up says nothing. */
export async function watched(request: Promise<Response>): Promise<Response> {
  const timer = window.setTimeout(doubt, patienceMs);
  try {
    const answer = await request;
    set(away.includes(answer.status) ? Date.now() : null);
    return answer;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) doubt();
    throw error;
  } finally {
    window.clearTimeout(timer);
  }
}
