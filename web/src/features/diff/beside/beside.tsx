import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "../../../api/api-error.js";
import { besideQuery } from "../../../api/queries.js";
import { isShared } from "../../../ui/access/shared.js";
import { BesideCard as Changes } from "../../../ui/beside/beside-card.js";
import { InlineError, useSlow } from "../../../ui/feedback/states.js";
import { t } from "../../../texts/text.js";
import { PagesOfFile } from "./pages-of-file.js";

/** Shows how two snapshots differ beside their HTML, by facts and files; nothing where they do not. */
export function Beside({ a, b, objectId }: { a: string; b: string; objectId: string }) {
  const query = useQuery(besideQuery({ a, b }));
  const slow = useSlow(query.isPending);
  if (query.isPending)
    return slow ? <Skeleton height={44} radius={8} aria-label={t("Looking for changed files…")} /> : null;
  if (query.isError)
    return (
      <InlineError
        title={t("What changed outside the HTML could not be loaded")}
        detail={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  const { facts, files } = query.data;
  return (
    <Changes
      facts={facts}
      files={files}
      pair={{ a, b }}
      {...(isShared ? {} : { users: (file) => <PagesOfFile objectId={objectId} file={file} /> })}
    />
  );
}
