import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openServiceContext } from "@web-tester/worker/service-context";
import { startDiffer } from "./differ.js";

await runService("differ", async (config, log, signal) => {
  const context = await openServiceContext("differ", config, log, { signal });
  const stopDiffer = await startDiffer(context);
  return {
    stop: async () => {
      await stopDiffer();
      await context.close();
    },
  };
});
