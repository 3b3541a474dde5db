import { createBrowserRouter } from "react-router";
import { FloatingConsole } from "../features/console/floating-console.js";
import { BrokenScreen, NotFound } from "../features/shell/lost.js";
import { Shell } from "../features/shell/shell.js";

/** The route table; a screen is one file here, loaded when it is first opened. */
export const router = createBrowserRouter([
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
        // Header and footer stand while the screen itself is on its way.
        HydrateFallback: () => null,
        children: [
          { index: true, lazy: () => import("./home.js") },
          { path: "objects/:id", lazy: () => import("./object.js") },
          { path: "objects/:id/search", lazy: () => import("./search.js") },
          { path: "instances/:id", lazy: () => import("./instance.js") },
          { path: "snapshots/:id", lazy: () => import("./snapshot.js") },
          { path: "snapshots/:id/render", lazy: () => import("./render.js") },
          { path: "diff", lazy: () => import("./diff.js") },
          { path: "diff/visual", lazy: () => import("./visual-diff.js") },
          { path: "diff/bulk", lazy: () => import("./bulk-diff.js") },
          { path: "diff-anything", lazy: () => import("./diff-anything.js") },
          { path: "format-html", lazy: () => import("./format-html.js") },
          { path: "import-export", lazy: () => import("./import-export.js") },
          { path: "imprint", lazy: () => import("./imprint.js") },
          { path: "privacy", lazy: () => import("./privacy.js") },
          { path: "*", Component: NotFound },
        ],
      },
    ],
  },
]);
