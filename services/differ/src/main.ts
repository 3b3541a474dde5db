import { runService } from "@web-tester/platform/lifecycle/lifecycle";
import { openParts } from "@web-tester/worker/service-context";
import { startDiffer } from "./differ.js";

await runService("differ", async (config, log) => {
  const parts = await openParts("differ", config, log);
  const stopDiffer = await startDiffer({ config, log, ...parts });
  return {
    stop: async () => {
      await stopDiffer();
      await parts.close();
    },
  };
});
