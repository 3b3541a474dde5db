import { Button } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { t } from "../../texts/text.js";
import classes from "./rows.module.css";

/** The button below a list of which only a part was loaded; nothing where all of it is there. */
export function ShowMore({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  query: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
}) {
  if (!hasNextPage) return null;
  return (
    <div className={classes["more"]}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("Show more")}
      </Button>
    </div>
  );
}
