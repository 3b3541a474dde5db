import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openParts } from "@web-tester/worker/service-context";
import { startFetcher } from "./fetcher.js";

await runService("fetcher", async (config, log) => {
  const parts = await openParts("fetcher", config, log);
  const stopFetcher = await startFetcher({ config, log, ...parts });
  return {
    stop: async () => {
      await stopFetcher();
      await parts.close();
    },
  };
});
