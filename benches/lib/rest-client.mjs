// @ts-check
import { api } from "@web-tester/contracts/api";

/**
 * @template {import("@web-tester/contracts/api").EndpointName} N
 * @typedef {{ params?: Record<string, string>, query?: import("@web-tester/contracts/api").QueryInput<N>, body?: import("@web-tester/contracts/api").BodyInput<N> }} Input
 */

/**
 * @typedef {object} RestClient
 * @property {<N extends import("@web-tester/contracts/api").EndpointName>(name: N, input?: Input<N>) => Promise<import("@web-tester/contracts/api").Response<N>>} call
 *   calls one endpoint of the contract's table; the answer is checked against the table. Throws `HTTP <status>: <body>` for a failed call
 */

const answerWithinMs = 30_000;

/**
 * @param {string} address of the gateway, without a slash at the end
 * @param {AbortSignal} signal aborts every call
 * @param {string} [token] the token of the API, where it requires one
 * @returns {RestClient}
 */
export function restClient(address, signal, token) {
  /** @type {Record<string, string>} */
  const shown = token === undefined ? {} : { authorization: `Bearer ${token}` };

  /**
   * @template {import("@web-tester/contracts/api").EndpointName} N
   * @param {N} name
   * @param {Input<N>} [input]
   * @returns {Promise<import("@web-tester/contracts/api").Response<N>>}
   */
  async function call(name, { params = {}, query, body } = {}) {
    const { method, path, response } = api[name];
    const url = new URL(address + path.replaceAll(/\{(\w+)\}/g, (_, key) => encodeURIComponent(params[key] ?? "")));
    for (const [key, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(key, String(value));
    const answer = await fetch(url, {
      method,
      ...(method === "GET"
        ? { headers: shown }
        : { headers: { ...shown, "content-type": "application/json" }, body: JSON.stringify(body ?? {}) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${url.pathname}${url.search} → HTTP ${answer.status}: ${text}`);
    const parsed = response.safeParse(JSON.parse(text));
    if (!parsed.success)
      throw new Error(
        `${method} ${url.pathname}${url.search} answers what the contract does not say: ${parsed.error.message}`,
      );
    return /** @type {import("@web-tester/contracts/api").Response<N>} */ (parsed.data);
  }
  return { call };
}
