import { row, type Violation } from "./plant.js";
import { insideWorkers } from "./worker-plants.js";

/** One violation of each arrow. */
export const forbidden: Violation[] = [
  // layers, back
  row(
    "contracts → platform",
    "packages/contracts/src/planted-back.ts",
    "@web-tester/platform/database/database",
    "contracts must not know this",
  ),
  row("html → loader", "packages/html/src/planted-back.ts", "@web-tester/loader/load-page", "html must not know this"),
  row("diff → platform", "packages/diff/src/planted-back.ts", "@web-tester/platform/config", "diff must not know this"),
  row(
    "platform → loader",
    "packages/platform/src/planted-back.ts",
    "@web-tester/loader/load-page",
    "platform must not know this",
  ),
  row(
    "platform (egress) → gateway",
    "packages/platform/src/egress/planted-back.ts",
    "@web-tester/gateway/parts",
    "platform must not know this",
  ),
  row(
    "platform → records",
    "packages/platform/src/database/planted-back.ts",
    "@web-tester/records/runs/run-progress",
    "platform must not know this",
  ),
  row(
    "records → worker",
    "packages/records/src/runs/planted-back.ts",
    "@web-tester/worker/reconcile",
    "records must not know this",
  ),
  row(
    "urls → platform",
    "packages/urls/src/planted-back.ts",
    "@web-tester/platform/log/logger",
    "urls must not know this",
  ),
  row(
    "signal → platform",
    "packages/signal/src/planted-back.ts",
    "@web-tester/platform/log/logger",
    "signal must not know this",
  ),
  row(
    "search-index → records",
    "packages/search-index/src/planted-back.ts",
    "@web-tester/records/search/search-segments",
    "search-index must not know this",
  ),
  row(
    "worker → loader",
    "packages/worker/src/planted-back.ts",
    "@web-tester/loader/load-page",
    "worker must not know this",
  ),
  row(
    "replay → worker",
    "packages/replay/src/planted-back.ts",
    "@web-tester/worker/lease",
    "replay must not know this",
  ),
  row("backup → gateway", "services/backup/src/planted.ts", "@web-tester/gateway/parts", "backup must not know this"),
  row(
    "loader → fetcher",
    "packages/loader/src/planted-back.ts",
    "@web-tester/fetcher/classify",
    "loader must not know this",
  ),
  row(
    "a test of loader → tests",
    "packages/loader/src/planted-back.test.ts",
    "@web-tester/tests/support/job",
    "loader must not know this",
  ),
  row(
    "gateway → tests, by a path",
    "services/gateway/src/http/planted-back.ts",
    "../../../../tests/support/job.js",
    "gateway must not know this",
  ),
  row("web → gateway", "web/src/ui/planted-gateway.ts", "@web-tester/gateway/parts", "web must not know this"),
  row(
    "web → platform",
    "web/src/ui/planted-back.ts",
    "@web-tester/platform/config",
    "the browser knows contracts, html and diff only",
  ),
  row(
    "web → loader, in a test",
    "web/src/ui/planted-back.test.ts",
    "@web-tester/loader/load-page",
    "the browser knows contracts, html and diff only",
  ),
  row("benches → gateway", "benches/lib/planted-back.mjs", "@web-tester/gateway/parts", "benches runs the services"),
  row(
    "infra → crawler, by a path",
    "infra/local/planted-back.mjs",
    "../../services/crawler/dist/pure/scope.js",
    "infra runs the services",
  ),
  // layers, sideways
  row(
    "contracts → diff",
    "packages/contracts/src/planted-sideways.ts",
    "@web-tester/diff/compare",
    "contracts must not know this",
  ),
  row(
    "html → contracts",
    "packages/html/src/planted-sideways.ts",
    "@web-tester/contracts/limits",
    "html must not know this",
  ),
  row(
    "diff → html, by a path",
    "packages/diff/src/planted-sideways.ts",
    "../../html/src/decode-as.js",
    "Import other packages by name",
  ),
  row(
    "crawler → fetcher",
    "services/crawler/src/pure/planted-sideways.ts",
    "@web-tester/fetcher/classify",
    "crawler must not know this",
  ),
  row(
    "fetcher → crawler, by a path",
    "services/fetcher/src/pure/planted-sideways.ts",
    "../../crawler/src/scope.js",
    "fetcher must not know this",
  ),
  row(
    "differ → gateway",
    "services/differ/src/pure/planted-sideways.ts",
    "@web-tester/gateway/parts",
    "differ must not know this",
  ),
  row(
    "gateway → differ, inside an import()",
    "services/gateway/src/http/planted-sideways.ts",
    "@web-tester/differ/comparer",
    "gateway must not know this",
  ),
  {
    why: "contracts → html, by import()",
    file: "packages/contracts/src/planted-import.ts",
    code: `export const planted = import("@web-tester/html/links/scan-links");`,
    says: "contracts must not know this",
  },
  {
    why: "loader → crawler, types only",
    file: "packages/loader/src/planted-type.ts",
    code: `import type { Scope } from "@web-tester/crawler/pure/scope";\nexport type Planted = Scope;`,
    says: "loader must not know this",
  },
  {
    why: "platform → loader, by export from",
    file: "packages/platform/src/planted-export.ts",
    code: `export { loadPage } from "@web-tester/loader/load-page";`,
    says: "platform must not know this",
  },
  ...(
    [
      "packages/contracts",
      "packages/html",
      "packages/urls",
      "packages/search-index",
      "packages/signal",
      "packages/platform",
      "packages/records",
      "packages/loader",
      "packages/replay",
      "packages/worker",
      "services/backup",
      "services/crawler",
      "services/differ",
      "web",
    ] as const
  ).map((folder) =>
    row(
      `${folder} → fetcher, by a path`,
      `${folder}/src/planted-path.ts`,
      "../../../services/fetcher/src/classify.js",
      "Import other packages by name",
    ),
  ),
  // pure packages
  row("contracts → file system", "packages/contracts/src/planted-node.ts", "node:fs", "touches nothing"),
  row("html → file system", "packages/html/src/planted-node.ts", "node:fs", "they touch nothing"),
  row("diff → worker threads", "packages/diff/src/planted-node.ts", "node:worker_threads", "touches nothing"),
  row("web → Node", "web/src/api/planted-node.ts", "node:path", "there is no Node here"),
  ...insideWorkers,
  // inside the gateway: main → wiring → features → folders that several use
  row("gateway: wiring → main", "services/gateway/src/gateway.ts", "./main.js", "Arrows in gateway: main → wiring"),
  row(
    "gateway: feature → wiring",
    "services/gateway/src/stats/planted-wiring.ts",
    "../app.module.js",
    "Arrows in gateway: main → wiring",
  ),
  row(
    "gateway: feature → feature",
    "services/gateway/src/objects/planted-feature.ts",
    "../instances/to-list-item.js",
    "What two folders need goes to one below them",
  ),
  row(
    "gateway: lower folder → feature",
    "services/gateway/src/http/planted-feature.ts",
    "../runs/run-row.js",
    "What two folders need goes to one below them",
  ),
  // inside the web application: routes → features → api | ui
  row("web: ui → api", "web/src/ui/planted-api.ts", "../api/client", "Arrows in web: routes → features"),
  row("web: api → ui", "web/src/api/planted-ui.ts", "../ui/fuzzy.js", "Arrows in web: routes → features"),
  row(
    "web: ui → feature",
    "web/src/ui/format/planted-feature.tsx",
    "../../features/home/object-list",
    "Arrows in web: routes → features",
  ),
  row(
    "web: feature → route",
    "web/src/features/home/planted-route.tsx",
    "../../routes/object",
    "Arrows in web: routes → features",
  ),
  row(
    "web: feature → feature",
    "web/src/features/home/planted-feature.tsx",
    "../diff/patch",
    "Two features do not know one another",
  ),
  row("web: route → main", "web/src/routes/planted-main.tsx", "../main", "Arrows in web: routes → features"),
  // tables: child → parent
  row(
    "tables: parent → child",
    "packages/records/src/objects/object.table.ts",
    "../instances/instance.table.js",
    "Tables: child → parent only",
  ),
  row(
    "tables: sideways",
    "packages/records/src/contents/content.table.ts",
    "../runs/run.table.js",
    "Tables: child → parent only",
  ),
  // outbound sockets in platform/egress only
  row(
    "egress: undici in the loader",
    "packages/loader/src/planted-undici.ts",
    "undici",
    "Egress: only packages/platform/src/egress",
  ),
  row(
    "egress: undici in platform elsewhere",
    "packages/platform/src/storage/planted-undici.ts",
    "undici",
    "Egress: only packages/platform/src/egress",
  ),
  row(
    "egress: tls in the fetcher",
    "services/fetcher/src/pure/planted-tls.ts",
    "node:tls",
    "Egress: only packages/platform/src/egress",
  ),
  {
    why: "egress: request of node:http in the crawler",
    file: "services/crawler/src/pure/planted-http.ts",
    code: `import { request } from "node:http";\nexport const planted = request;`,
    says: "Egress: only packages/platform/src/egress",
  },
  {
    why: "egress: connect of node:net in the gateway",
    file: "services/gateway/src/http/planted-net.ts",
    code: `import { connect } from "node:net";\nexport const planted = connect;`,
    says: "Egress: only packages/platform/src/egress",
  },
  {
    why: "egress: everything of node:https",
    file: "services/differ/src/pure/planted-https.ts",
    code: `import * as https from "node:https";\nexport const planted = https;`,
    says: "Egress: only packages/platform/src/egress",
  },
  {
    why: "egress: global fetch in a service",
    file: "services/fetcher/src/pure/planted-fetch.ts",
    code: `export const planted = () => fetch("http://127.0.0.1/");`,
    says: "Egress: only packages/platform/src/egress",
  },
];
