import { Button } from "@mantine/core";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { messageOf } from "../../../api/api-error.js";
import { bulkSkippedQuery } from "../../../api/queries.js";
import { InlineError } from "../../../ui/feedback/states.js";
import { pathOf } from "../../../ui/format/words.js";
import { t } from "../../../texts/text.js";
import type { BulkAddress } from "./bulk-address.js";
import { skipWords } from "./skip-words.js";
import classes from "./bulk.module.css";

interface Props {
  objectId: string;
  address: BulkAddress;
  from: number;
  siteUrl: string | undefined;
}

/** Lists every instance that was not compared, with the reason: those with too few snapshots first, then identical ones. */
export function SkippedList({ objectId, address, from, siteUrl }: Props) {
  const query = useInfiniteQuery(bulkSkippedQuery(objectId, address.idx1, address.idx2, from));
  if (query.isError)
    return (
      <InlineError
        title={t("The skipped instances could not be loaded")}
        detail={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  const entries = query.data?.pages.flatMap((page) => page.diffs) ?? [];
  return (
    <div className={classes["skipped"]}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Instance")}</th>
            <th scope="col">{t("Snapshots")}</th>
            <th scope="col">{t("Why skipped")}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <SkippedRow key={entry.instanceId} entry={entry} siteUrl={siteUrl} />
          ))}
        </tbody>
      </table>
      {query.hasNextPage && (
        <Button variant="default" onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
          {query.isFetchingNextPage ? t("Loading…") : t("Show 20 more")}
        </Button>
      )}
    </div>
  );
}

function SkippedRow({ entry, siteUrl }: { entry: BulkDiffEntry; siteUrl: string | undefined }) {
  return (
    <tr>
      <td>
        <Link className="link" to={`/instances/${entry.instanceId}`}>
          {entry.instanceName || entry.instanceUrl}
        </Link>{" "}
        <span className="mono text-2">{pathOf(entry.instanceUrl, siteUrl)}</span>
      </td>
      <td>{entry.snapshotCount}</td>
      <td>
        {skipWords(entry)}{" "}
        {entry.changedBeside && entry.snapshot1 !== null && entry.snapshot2 !== null && (
          <Link className="link" to={`/diff?a=${entry.snapshot1.id}&b=${entry.snapshot2.id}`}>
            {t("Compare")}
            <span className="sr-only"> {entry.instanceName || entry.instanceUrl}</span>
          </Link>
        )}
      </td>
    </tr>
  );
}
