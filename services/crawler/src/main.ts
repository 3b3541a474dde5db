import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openServiceContext } from "@web-tester/worker/service-context";
import { startCrawler } from "./crawler.js";

await runService("crawler", async (config, log, signal) => {
  const context = await openServiceContext("crawler", config, log, { signal });
  const stopCrawler = await startCrawler(context);
  return {
    stop: async () => {
      await stopCrawler();
      await context.close();
    },
  };
});
