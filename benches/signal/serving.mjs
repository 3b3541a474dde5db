// @ts-check
import { createServer } from "node:net";

/** Waits until a server answers with a status below 500, up to about 20 s. @param {string} url */
export async function untilAnswered(url) {
  for (let attempt = 0; ; attempt += 1) {
    const status = await fetch(url).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 500,
    );
    if (status < 500) return;
    if (attempt > 200) throw new Error(`${url} did not answer within 20 s.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
