import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openServiceContext } from "@web-tester/worker/service-context";
import { startFetcher } from "./fetcher.js";

await runService("fetcher", async (config, log, signal) => {
  const context = await openServiceContext("fetcher", config, log, { signal });
  const stopFetcher = await startFetcher(context);
  return {
    stop: async () => {
      await stopFetcher();
      await context.close();
    },
  };
});
