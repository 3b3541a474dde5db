import { runService } from "@web-tester/platform/lifecycle";
import { openParts } from "@web-tester/platform/parts";
import { startGateway } from "./gateway.js";

await runService("gateway", async (config, log) => {
  // the gateway answers for its own health, on its own port
  const parts = await openParts("gateway", { ...config, healthPort: undefined }, log);
  const gateway = await startGateway({ config, log, ...parts });
  log.info({ host: config.host, port: gateway.port }, "Serving");
  return {
    stop: async () => {
      await gateway.stop();
      await parts.close();
    },
  };
});
