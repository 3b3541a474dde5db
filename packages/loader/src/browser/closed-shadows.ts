import type { CDPSession } from "playwright-core";

/** The fields that are read of a node as Chromium describes it. */
interface Node {
  backendNodeId: number;
  shadowRootType?: "user-agent" | "open" | "closed";
  children?: Node[];
  shadowRoots?: Node[];
}

/** The most closed shadow trees of one page. */
const rootsMax = 500;

/**
 * Exposes the closed shadow trees of the main frame's document, which a person sees and scripts do not, to our isolated
 * world as `closedRoots`, a map by their hosts.
 * @returns whether there is one
 */
export async function showClosedShadows(cdp: CDPSession, contextId: number): Promise<boolean> {
  const { root } = await cdp.send("DOM.getDocument", { depth: -1, pierce: true });
  const closed = closedRootsOf(root);
  if (closed.length === 0) return false;
  const objects = await Promise.all(
    closed.map((backendNodeId) => cdp.send("DOM.resolveNode", { backendNodeId, executionContextId: contextId })),
  );
  await cdp.send("Runtime.callFunctionOn", {
    executionContextId: contextId,
    functionDeclaration:
      "function (...roots) { globalThis.closedRoots = new Map(roots.map((root) => [root.host, root])); }",
    arguments: objects.flatMap(({ object }) => (object.objectId === undefined ? [] : [{ objectId: object.objectId }])),
  });
  await Promise.all(
    objects.flatMap(({ object: { objectId } }) =>
      objectId === undefined ? [] : [cdp.send("Runtime.releaseObject", { objectId })],
    ),
  );
  return true;
}

/** Returns the closed shadow roots below a node; none of documents in frames, as their nodes belong to other worlds. */
function closedRootsOf(root: Node): number[] {
  const found: number[] = [];
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined && found.length < rootsMax; node = waiting.pop()) {
    if (node.shadowRootType === "closed") found.push(node.backendNodeId);
    for (const child of node.children ?? []) waiting.push(child);
    for (const shadow of node.shadowRoots ?? []) if (shadow.shadowRootType !== "user-agent") waiting.push(shadow);
  }
  return found;
}
