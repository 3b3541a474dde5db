import { type Query, useQueryClient } from "@tanstack/react-query";

const hasFailed = ({ state }: Query): boolean => state.status === "error";

/**
 * Retries, and refetches whatever else of the screen failed: what failed for the same reason, such as the name in the breadcrumb, has no
 * button of its own.
 */
export function useRetry(onRetry: (() => void) | undefined): () => void {
  const client = useQueryClient();
  return () => {
    onRetry?.();
    void client.refetchQueries({ type: "active", predicate: hasFailed }, { cancelRefetch: false });
  };
}
