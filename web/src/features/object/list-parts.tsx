import { Button, Progress, Skeleton } from "@mantine/core";
import { t } from "../../texts/text.js";
import classes from "./instances.module.css";

/** The end of the list while more is being loaded. */
export function LoadingMore({ from, to, total }: { from: number; to: number; total: number }) {
  return (
    <p className={classes["end"]} role="status">
      <Progress value={(from / Math.max(1, total)) * 100} size={4} w={120} color="var(--wt-quiet)" aria-hidden />
      {t("Loading {from} to {to} of {total}", { from, to, total })}
    </p>
  );
}

/** Skeleton of a row whose part of the list is still being loaded. */
export const RowSkeleton = () => (
  <div className={classes["row"]} aria-hidden>
    <Skeleton className={classes["thumb"]} height={39} radius={4} />
    <div className={classes["names"]}>
      <Skeleton height={10} width="46%" radius={3} my={5} />
      <Skeleton height={8} width="64%" radius={3} my={6} />
    </div>
    <div className={classes["status"]}>
      <Skeleton height={10} width={96} radius={3} />
    </div>
  </div>
);

/** A button that removes a filter without matches. */
export const ShowAll = ({ onClick }: { onClick: () => void }) => (
  <Button variant="default" mt={12} onClick={onClick}>
    {t("Show all instances")}
  </Button>
);
