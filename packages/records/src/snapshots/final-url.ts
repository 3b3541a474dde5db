/** The parts of an answer that matter for its address. */
interface Answered {
  state: "done" | "failed";
  http_status: number | null;
  final_url: string | null;
  redirects: readonly unknown[];
}

/**
 * @returns the address to store for a snapshot: null if it is the page's own (as nearly always) and the page was answered, because it need
 * not be stored then
 */
export function keptFinalUrl({ state, http_status, final_url, redirects }: Answered, url: string): string | null {
  return state === "done" && http_status !== null && redirects.length === 0 && final_url === url ? null : final_url;
}

/** SQL: the address that a snapshot's content came from; null when it is not known. @param s alias of the snapshot */
export const finalUrlOf = (s: string) =>
  `coalesce(${s}.final_url, CASE WHEN ${s}.state = 'done' AND ${s}.http_status IS NOT NULL THEN (SELECT own.url FROM test_instance own WHERE own.id = ${s}.test_instance_id) END)`;
