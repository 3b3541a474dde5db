// @ts-check
// A fetcher made of the product's own built parts, with one of them wrapped so that the process ends at a chosen point.
import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openParts } from "@web-tester/worker/service-context";
import { startFetcher } from "../../services/fetcher/dist/fetcher.js";

const after = process.env["FAULT_AFTER"];
let left = Number(process.env["FAULT_COUNT"] ?? 0);

/** @param {string} point */
function pass(point) {
  if (point === after && --left === 0) process.kill(process.pid, "SIGKILL");
}

await runService("fetcher", async (config, log) => {
  const parts = await openParts("fetcher", config, log);
  const store = {
    ...parts.store,
    /** @type {typeof parts.store.write} */
    async write(hash, bytes) {
      const written = await parts.store.write(hash, bytes);
      pass("blob");
      return written;
    },
    /** @type {typeof parts.store.writePacked} */
    async writePacked(hash, packed) {
      const written = await parts.store.writePacked(hash, packed);
      pass("blob");
      return written;
    },
  };
  const bus = {
    ...parts.bus,
    /** @type {typeof parts.bus.publish} */
    async publish(messages) {
      // the fetcher publishes `diff` right after its commit
      pass("commit");
      await parts.bus.publish(messages);
    },
  };
  const stop = await startFetcher({ config, log, ...parts, store, bus });
  return {
    stop: async () => {
      await stop();
      await parts.close();
    },
  };
});
