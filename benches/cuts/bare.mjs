// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";

const program = `require("node:http").createServer((_, response) => response.end("alive")).listen(0, "127.0.0.1", function () {
  process.stdout.write(String(this.address().port));
}); process.stdin.on("end", () => process.exit()).resume();`;

/**
 * Starts an idle server: the time that it takes to answer is due to the machine and to the client alone.
 * @returns {Promise<{ address: string, stop: () => void }>}
 */
export async function startBare() {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { address: `http://127.0.0.1:${port}`, stop: () => child.stdin.end() };
}
