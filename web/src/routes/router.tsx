import { createBrowserRouter, type RouteObject } from "react-router";
import { FloatingConsole } from "../features/console/floating-console.js";
import { Blank, BrokenScreen } from "../features/shell/lost.js";
import { Shell } from "../features/shell/shell.js";
import { isShared, sharedBase } from "../ui/access/shared.js";
import { ahead, readBulkDiff, readDiff, readHome, readInstance, readObject, readSnapshot } from "./read-ahead.js";

/** The route table; each screen is one file in this folder, loaded when it is first opened. */
const screens: RouteObject[] = [
  {
    path: "/",
    element: <Shell floating={<FloatingConsole />} />,
    errorElement: (
      <Shell floating={<FloatingConsole />}>
        <BrokenScreen />
      </Shell>
    ),
    children: [
      {
        errorElement: <BrokenScreen />,
        // While the screen itself is loading, the header is shown already, and the footer at its final place.
        HydrateFallback: Blank,
        children: [
          { index: true, ...ahead(readHome), lazy: () => import("./home.js") },
          { path: "objects/:id", ...ahead(readObject), lazy: () => import("./object.js") },
          {
            lazy: () => import("./of-object.js"),
            children: [
              { path: "objects/:id/rules", lazy: () => import("./rules.js") },
              { path: "objects/:id/schedules", lazy: () => import("./schedules.js") },
              { path: "objects/:id/compare", lazy: () => import("./compare.js") },
              { path: "objects/:id/lifecycle", lazy: () => import("./lifecycle.js") },
              { path: "objects/:id/checks", lazy: () => import("./checks.js") },
              { path: "objects/:id/search", lazy: () => import("./search.js") },
            ],
          },
          { path: "checks", lazy: () => import("./checks.js") },
          { path: "runs/:id/review", lazy: () => import("./review.js") },
          { path: "instances/:id", ...ahead(readInstance), lazy: () => import("./instance.js") },
          { path: "snapshots/:id", ...ahead(readSnapshot), lazy: () => import("./snapshot.js") },
          { path: "snapshots/:id/render", lazy: () => import("./render.js") },
          { path: "diff", ...ahead(readDiff), lazy: () => import("./diff.js") },
          { path: "diff/visual", lazy: () => import("./visual-diff.js") },
          { path: "diff/bulk", ...ahead(readBulkDiff), lazy: () => import("./bulk-diff.js") },
          { path: "diff-anything", lazy: () => import("./diff-anything.js") },
          { path: "format-html", lazy: () => import("./format-html.js") },
          { path: "schedules", lazy: () => import("./all-schedules.js") },
          { path: "notifications", lazy: () => import("./notifications.js") },
          { path: "import-export", lazy: () => import("./import-export.js") },
          { path: "access", lazy: () => import("./access.js") },
          { path: "access/changes", lazy: () => import("./changes.js") },
          { path: "sign-in", lazy: () => import("./sign-in.js") },
          { path: "imprint", lazy: () => import("./imprint.js") },
          { path: "privacy", lazy: () => import("./privacy.js") },
          { path: "*", lazy: () => import("./not-found.js") },
        ],
      },
    ],
  },
];

export const router = isShared
  ? createBrowserRouter([{ path: "*", lazy: () => import("./shared.js"), HydrateFallback: Blank }], {
      basename: sharedBase,
    })
  : createBrowserRouter(screens);
