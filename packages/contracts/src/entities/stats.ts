import { z } from "zod";
import { count } from "./vocabulary.js";

export const stats = z
  .object({
    db: z.object({ bytes: count, provider: z.string() }),
    log: z.object({ bytes: count, path: z.string() }),
    assets: z.object({ bytes: count, path: z.string() }),
  })
  .meta({ id: "Stats" });
