import { imports, type Plant } from "./plant.js";

const fine = (why: string, file: string, from: string): Plant => ({ why, file, code: imports(from) });

/** Imports close to the forbidden ones that the lint must allow: a lint that refuses everything would prove nothing. */
export const allowed: Plant[] = [
  fine("platform → contracts", "packages/platform/src/planted-fine.ts", "@web-tester/contracts/limits"),
  fine("loader → platform", "packages/loader/src/planted-fine.ts", "@web-tester/platform/egress/egress"),
  fine("records → platform", "packages/records/src/runs/planted-fine.ts", "@web-tester/platform/database/database"),
  fine("worker → records", "packages/worker/src/planted-fine.ts", "@web-tester/records/runs/run-progress"),
  fine("egress → undici", "packages/platform/src/egress/planted-fine.ts", "undici"),
  fine("crawler: pure → pure", "services/crawler/src/pure/planted-fine.ts", "./scope.js"),
  fine(
    "crawler: handler → database",
    "services/crawler/src/handlers/crawl-pages.ts",
    "@web-tester/platform/database/database",
  ),
  {
    why: "crawler: pure → types of platform",
    file: "services/crawler/src/pure/planted-types.ts",
    code: `import type { Db } from "@web-tester/platform/database/database";\nexport type Planted = Db;`,
  },
  fine("gateway: feature → shared", "services/gateway/src/objects/planted-fine.ts", "../http/not-found.js"),
  fine("gateway → Nest", "services/gateway/src/stats/planted-fine.ts", "@nestjs/common"),
  {
    why: "gateway: a server of node:http",
    file: "services/gateway/src/http/planted-server.ts",
    code: `import { createServer } from "node:http";\nexport const planted = createServer;`,
  },
  {
    why: "a test may fetch",
    file: "services/fetcher/src/pure/planted-fine.test.ts",
    code: `export const planted = () => fetch("http://127.0.0.1/");`,
  },
  fine("web: feature → api", "web/src/features/home/planted-fine.tsx", "../../api/client"),
  fine("web: feature → itself", "web/src/features/home/planted-own.tsx", "./object-list"),
  fine("web: route → feature", "web/src/routes/planted-fine.tsx", "../features/home/object-list"),
  fine("tables: child → parent", "packages/records/src/instances/instance.table.ts", "../objects/object.table.js"),
  fine("tests → a service", "tests/planted-fine.ts", "@web-tester/gateway/parts"),
];

/** Two files that import each other. */
export const cycle: Plant[] = [
  {
    why: "one half",
    file: "packages/diff/src/planted-cycle.ts",
    code: `import { other } from "./planted-cycle-too.js";\nexport const planted = (): unknown => other();`,
  },
  {
    why: "the other half",
    file: "packages/diff/src/planted-cycle-too.ts",
    code: `import { planted } from "./planted-cycle.js";\nexport const other = (): unknown => planted();`,
  },
];
