/** An answered page, as far as its address is concerned. */
interface Answered {
  state: "done" | "failed";
  http_status: number | null;
  final_url: string | null;
  redirects: readonly unknown[];
}

/** @returns what is kept as the address that a page was got from: null where that is the page's own, as nearly always, and it was got */
export function keptFinalUrl({ state, http_status, final_url, redirects }: Answered, url: string): string | null {
  return state === "done" && http_status !== null && redirects.length === 0 && final_url === url ? null : final_url;
}

/** SQL: the address that a snapshot's content was got from; null where nobody knows. @param s alias of the snapshot */
export const finalUrlOf = (s: string) =>
  `coalesce(${s}.final_url, CASE WHEN ${s}.state = 'done' AND ${s}.http_status IS NOT NULL THEN (SELECT own.url FROM test_instance own WHERE own.id = ${s}.test_instance_id) END)`;
