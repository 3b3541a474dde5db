import { Button } from "@mantine/core";
import type { CarrierItem } from "@web-tester/contracts/entities/run";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { carriersQuery } from "../../api/queries.js";
import { InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { withoutOrigin } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import classes from "./crawl-report.module.css";

/** A button that opens the list of pages that carry a broken link. */
export function Carriers({
  runId,
  url,
  total,
  siteUrl,
}: {
  runId: string;
  url: string;
  total: number;
  siteUrl: string;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <div>
      <button type="button" className={classes["toggle"]} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        {opened ? t("Hide the pages that carry it") : t("Show all {total} pages that carry it", { total })}
      </button>
      {opened && <CarrierList runId={runId} url={url} siteUrl={siteUrl} />}
    </div>
  );
}

function CarrierList({ runId, url, siteUrl }: { runId: string; url: string; siteUrl: string }) {
  const list = useInfiniteQuery(carriersQuery(runId, url));
  if (list.isPending) {
    return (
      <Waiting words={t("Loading the pages…")}>
        <RowSkeletons count={2} height={24} />
      </Waiting>
    );
  }
  if (list.isError) {
    return (
      <InlineError
        title={t("The pages could not be loaded")}
        detail={messageOf(list.error)}
        onRetry={() => void list.refetch()}
      />
    );
  }
  return (
    <>
      <ul
        className={classes["carriers"]}
        aria-label={t("Pages that link to {address}", { address: withoutOrigin(url, siteUrl) })}
      >
        {list.data.pages
          .flatMap((page) => page.items)
          .map((page) => (
            <Carrier key={page.url} page={page} siteUrl={siteUrl} />
          ))}
      </ul>
      {list.hasNextPage && (
        <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("Show more pages")}
        </Button>
      )}
    </>
  );
}

function Carrier({ page, siteUrl }: { page: CarrierItem; siteUrl: string }) {
  const address = <code>{withoutOrigin(page.url, siteUrl)}</code>;
  if (page.instance_id === null) return <li>{address}</li>;
  return (
    <li>
      <Link to={`/instances/${page.instance_id}`} className="link" title={page.name ?? undefined}>
        {address}
      </Link>
    </li>
  );
}
