// @ts-check

/**
 * Measures how long the simplest program takes to fetch the same pages: a loop over `fetch` that parses and keeps nothing.
 * It is the baseline for a crawl or fetch of the product.
 * @param {readonly string[]} urls
 * @param {number} atOnce
 * @param {AbortSignal} signal
 * @returns {Promise<{ seconds: number, bytes: number }>}
 */
export async function bareFetch(urls, atOnce, signal) {
  const startedAt = performance.now();
  let next = 0;
  let bytes = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let url = urls[next++]; url !== undefined; url = urls[next++]) {
        const answer = await fetch(url, { signal });
        if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`);
        const { byteLength } = await answer.arrayBuffer();
        bytes += byteLength;
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, bytes };
}
