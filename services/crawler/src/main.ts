import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openServiceContext } from "@web-tester/worker/service-context";
import { startCrawler } from "./crawler.js";

await runService("crawler", async (config, log) => {
  const context = await openServiceContext("crawler", config, log);
  const stopCrawler = await startCrawler(context);
  return {
    stop: async () => {
      await stopCrawler();
      await context.close();
    },
  };
});
