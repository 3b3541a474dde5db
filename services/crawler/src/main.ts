import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openParts } from "@web-tester/worker/service-context";
import { startCrawler } from "./crawler.js";

await runService("crawler", async (config, log) => {
  const parts = await openParts("crawler", config, log);
  const stopCrawler = await startCrawler({ config, log, ...parts });
  return {
    stop: async () => {
      await stopCrawler();
      await parts.close();
    },
  };
});
