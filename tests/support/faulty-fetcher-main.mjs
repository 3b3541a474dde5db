// @ts-check
// A fetcher made of the product's own built context, with one of them wrapped so that the process ends at a chosen point.
import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openServiceContext } from "@web-tester/worker/service-context";
import { startFetcher } from "../../services/fetcher/dist/fetcher.js";

const after = process.env["FAULT_AFTER"];
let left = Number(process.env["FAULT_COUNT"] ?? 0);

/** @param {string} point */
function pass(point) {
  if (point === after && --left === 0) process.kill(process.pid, "SIGKILL");
}

await runService("fetcher", async (config, log, signal) => {
  const context = await openServiceContext("fetcher", config, log, { signal });
  const store = {
    ...context.store,
    /** @type {typeof context.store.write} */
    async write(hash, bytes) {
      const written = await context.store.write(hash, bytes);
      pass("blob");
      return written;
    },
    /** @type {typeof context.store.writePacked} */
    async writePacked(hash, packed) {
      const written = await context.store.writePacked(hash, packed);
      pass("blob");
      return written;
    },
  };
  const bus = {
    ...context.bus,
    /** @type {typeof context.bus.publish} */
    async publish(messages) {
      // the fetcher publishes `diff` right after its commit; messages of its reconciler may come before that
      if (messages.some(({ name }) => name === "diff")) pass("commit");
      await context.bus.publish(messages);
    },
  };
  const stop = await startFetcher({ config, log, ...context, store, bus });
  return {
    stop: async () => {
      await stop();
      await context.close();
    },
  };
});
