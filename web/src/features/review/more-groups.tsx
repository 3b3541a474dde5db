import { Button } from "@mantine/core";
import type { ChangeGroup } from "@web-tester/contracts/entities/review";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { moreGroupsQuery } from "../../api/review-queries.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

interface Props {
  runId: string;
  shown: number;
  total: number;
  /** Whether to load everything, for printing. */
  whole: boolean;
  show: (groups: readonly ChangeGroup[], label: string) => React.ReactNode;
}

/** Loads on demand the kinds of change behind those that a review already contains. */
export function MoreGroups({ runId, shown, total, whole, show }: Props) {
  const [isAsked, setAsked] = useState(false);
  const query = useInfiniteQuery({ ...moreGroupsQuery(runId, shown), enabled: isAsked || whole });
  const groups = query.data?.pages.flatMap((page) => page.groups) ?? [];
  const left = total - shown - groups.length;
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (whole && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [whole, hasNextPage, isFetching, isError, fetchNextPage]);
  return (
    <Card
      title={t("Kinds of fewer pages")}
      aside={t("{count} of {total}", { count: shown + groups.length, total })}
      flush
    >
      {groups.length > 0 && show(groups, t("Kinds of fewer pages"))}
      {left > 0 && (
        <div className={classes["more"]}>
          <Button
            variant="default"
            size="xs"
            loading={query.isFetching}
            onClick={() => (isAsked ? void query.fetchNextPage() : setAsked(true))}
          >
            {t("Show more")}
          </Button>
        </div>
      )}
    </Card>
  );
}
