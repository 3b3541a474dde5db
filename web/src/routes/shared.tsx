import { lazy } from "react";
import { useLocation } from "react-router";
import { takeShareSecret } from "../api/share-secret.js";
import { NotShared, SharedFrame } from "../features/sharing/shared-frame.js";
import { Blank } from "../features/shell/lost.js";

const hasSecret = takeShareSecret();

const DiffPage = lazy(async () => ({ default: (await import("../features/diff/diff-page.js")).DiffPage }));
const VisualPage = lazy(async () => ({ default: (await import("../features/diff/visual/visual-page.js")).VisualPage }));
const ReviewPage = lazy(async () => ({ default: (await import("../features/review/review-page.js")).ReviewPage }));
const SnapshotPage = lazy(async () => ({
  default: (await import("../features/snapshot/snapshot-page.js")).SnapshotPage,
}));

/** Shows what a share link opens, in a frame of its own; addresses are those of the screens, below `/shared`. */
export function Component() {
  const { pathname } = useLocation();
  return <SharedFrame hasSecret={hasSecret}>{screenAt(pathname)}</SharedFrame>;
}

function screenAt(pathname: string): React.ReactNode {
  if (pathname === "/") return <Blank />;
  if (pathname === "/diff") return <DiffPage />;
  if (pathname === "/diff/visual") return <VisualPage />;
  const [, runId] = /^\/runs\/([^/]+)\/review$/.exec(pathname) ?? [];
  if (runId !== undefined) return <ReviewPage key={runId} id={runId} />;
  const [, snapshotId] = /^\/snapshots\/([^/]+)$/.exec(pathname) ?? [];
  return snapshotId === undefined ? <NotShared /> : <SnapshotPage key={snapshotId} id={snapshotId} />;
}
