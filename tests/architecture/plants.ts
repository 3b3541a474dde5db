import { imports, type Violation } from "./plant.js";

const row = (why: string, file: string, from: string, says: string): Violation => ({
  why,
  file,
  code: imports(from),
  says,
});

/** One violation of each arrow. */
export const forbidden: Violation[] = [
  // layers, back
  row(
    "contracts → platform",
    "packages/contracts/src/planted-back.ts",
    "@web-tester/platform/db/database",
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
    "loader → fetcher",
    "packages/loader/src/planted-back.ts",
    "@web-tester/fetcher/judge",
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
    "../../services/crawler/dist/scope.js",
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
    "services/crawler/src/planted-sideways.ts",
    "@web-tester/fetcher/judge",
    "crawler must not know this",
  ),
  row(
    "fetcher → crawler, by a path",
    "services/fetcher/src/planted-sideways.ts",
    "../../crawler/src/scope.js",
    "fetcher must not know this",
  ),
  row(
    "differ → gateway",
    "services/differ/src/planted-sideways.ts",
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
    code: `export const planted = import("@web-tester/html/scan-links");`,
    says: "contracts must not know this",
  },
  {
    why: "loader → crawler, types only",
    file: "packages/loader/src/planted-type.ts",
    code: `import type { Scope } from "@web-tester/crawler/scope";\nexport type Planted = Scope;`,
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
      "packages/platform",
      "packages/loader",
      "services/crawler",
      "services/differ",
      "web",
    ] as const
  ).map((folder) =>
    row(
      `${folder} → fetcher, by a path`,
      `${folder}/src/planted-path.ts`,
      "../../../services/fetcher/src/judge.js",
      "Import other packages by name",
    ),
  ),
  // pure packages
  row("contracts → file system", "packages/contracts/src/planted-node.ts", "node:fs", "touches nothing"),
  row("html → file system", "packages/html/src/planted-node.ts", "node:fs", "they touch nothing"),
  row("diff → worker threads", "packages/diff/src/planted-node.ts", "node:worker_threads", "touches nothing"),
  row("web → Node", "web/src/api/planted-node.ts", "node:path", "there is no Node here"),
  // inside a worker: main → wiring → handler → pure
  row(
    "crawler: pure → handler",
    "services/crawler/src/planted-pure.ts",
    "./crawl-pages.js",
    "A pure function knows none of the others",
  ),
  row(
    "fetcher: pure → main",
    "services/fetcher/src/planted-pure.ts",
    "./main.js",
    "A pure function knows none of the others",
  ),
  row(
    "differ: pure → wiring",
    "services/differ/src/planted-pure.ts",
    "./differ.js",
    "A pure function knows none of the others",
  ),
  row(
    "crawler: pure → database",
    "services/crawler/src/planted-database.ts",
    "@web-tester/platform/db/database",
    "touches nothing: types only",
  ),
  row(
    "fetcher: pure → database",
    "services/fetcher/src/planted-database.ts",
    "@web-tester/platform/db/database",
    "touches nothing: types only",
  ),
  row(
    "differ: pure → database",
    "services/differ/src/planted-database.ts",
    "@web-tester/platform/db/database",
    "touches nothing: types only",
  ),
  row("crawler: pure → file system", "services/crawler/src/planted-files.ts", "node:fs/promises", "touches nothing."),
  row("fetcher: pure → file system", "services/fetcher/src/planted-files.ts", "node:fs/promises", "touches nothing."),
  row("differ: pure → file system", "services/differ/src/planted-files.ts", "node:fs/promises", "touches nothing."),
  row(
    "crawler: step → handler",
    "services/crawler/src/visit-batch.ts",
    "./crawl-pages.js",
    "A step of a handler does not know the handler",
  ),
  row(
    "fetcher: step → handler",
    "services/fetcher/src/result-batch.ts",
    "./take-snapshots.js",
    "A step of a handler does not know the handler",
  ),
  row(
    "differ: step → handler",
    "services/differ/src/comparer.ts",
    "./record-changes.js",
    "A step of a handler does not know the handler",
  ),
  row(
    "crawler: handler → handler",
    "services/crawler/src/read-sitemap.ts",
    "./crawl-pages.js",
    "Handlers do not know one another",
  ),
  row(
    "fetcher: handler → wiring",
    "services/fetcher/src/take-snapshots.ts",
    "./fetcher.js",
    "Handlers do not know one another",
  ),
  row(
    "differ: handler → handler",
    "services/differ/src/record-changes.ts",
    "./answer-diff.js",
    "Handlers do not know one another",
  ),
  row(
    "crawler: wiring → main",
    "services/crawler/src/crawler.ts",
    "./main.js",
    "Arrows in crawler: main → wiring → handler → pure functions, never back.",
  ),
  row(
    "fetcher: wiring → main",
    "services/fetcher/src/fetcher.ts",
    "./main.js",
    "Arrows in fetcher: main → wiring → handler → pure functions, never back.",
  ),
  row(
    "differ: wiring → main",
    "services/differ/src/differ.ts",
    "./main.js",
    "Arrows in differ: main → wiring → handler → pure functions, never back.",
  ),
  row(
    "crawler → Nest",
    "services/crawler/src/planted-nest.ts",
    "@nestjs/common",
    "only the gateway is a Nest application",
  ),
  // inside the gateway: main → wiring → features → shared
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
    "Features do not know one another",
  ),
  row(
    "gateway: shared → feature",
    "services/gateway/src/rows/planted-feature.ts",
    "../runs/run-row.js",
    "What all share knows no feature",
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
  // entities: child → parent
  row(
    "entities: parent → child",
    "packages/platform/src/db/entities/test-object.ts",
    "./test-instance.js",
    "Entities: child → parent only",
  ),
  row(
    "entities: sideways",
    "packages/platform/src/db/entities/content.ts",
    "./run.js",
    "Entities: child → parent only",
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
    "services/fetcher/src/planted-tls.ts",
    "node:tls",
    "Egress: only packages/platform/src/egress",
  ),
  {
    why: "egress: request of node:http in the crawler",
    file: "services/crawler/src/planted-http.ts",
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
    file: "services/differ/src/planted-https.ts",
    code: `import * as https from "node:https";\nexport const planted = https;`,
    says: "Egress: only packages/platform/src/egress",
  },
  {
    why: "egress: global fetch in a service",
    file: "services/fetcher/src/planted-fetch.ts",
    code: `export const planted = () => fetch("http://127.0.0.1/");`,
    says: "Egress: only packages/platform/src/egress",
  },
];
