import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { programOf } from "../../infra/local/bundled.mjs";
import type { Product } from "./product.js";

/**
 * Starts one more worker of a running product, as a second replica.
 * @returns how to stop it
 */
export function startSecond(product: Product, service: "crawler" | "fetcher" | "differ"): () => Promise<void> {
  const program = programOf(`services/${service}/dist/main.js`);
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: { ...product.workerEnv(), HEALTH_PORT: undefined },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}
