// @ts-check

/**
 * How long the plainest program takes to get the same pages: a loop over `fetch`, nothing parsed, nothing kept. The
 * floor that a crawl or fetch of the product is seen against.
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
