import { Button, Skeleton } from "@mantine/core";
import { IconAlertTriangleFilled, IconCircleXFilled } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { t } from "../../texts/text.js";
import { useRetry } from "./use-retry.js";
import classes from "./states.module.css";

/** An error in place of its content: what failed, why, and a way to try again. */
export function InlineError({
  title,
  detail,
  onRetry,
  action,
  tone = "failed",
}: {
  title: string;
  detail?: string | undefined;
  onRetry?: (() => void) | undefined;
  /** An action to offer instead of trying again. */
  action?: React.ReactNode;
  tone?: "failed" | "changed";
}) {
  const Glyph = tone === "failed" ? IconCircleXFilled : IconAlertTriangleFilled;
  const retry = useRetry(onRetry);
  return (
    <div className={classes["error"]} role="alert" data-tone={tone}>
      <Glyph size={18} aria-hidden />
      <div className={classes["errorText"]}>
        <p className="strong">{title}</p>
        {detail !== undefined && <p className="text-2">{detail}</p>}
      </div>
      {onRetry !== undefined && (
        <Button variant="default" onClick={retry}>
          {t("Try again")}
        </Button>
      )}
      {action}
    </div>
  );
}

/** Says in words that there is nothing here, and what to do about it; `page` where it is the whole content of a page. */
export function Empty({
  title,
  page = false,
  children,
}: {
  title: string;
  page?: boolean;
  children?: React.ReactNode;
}) {
  const Title = page ? "h1" : "p";
  return (
    <div className={classes["empty"]}>
      <Title className={classes["emptyTitle"]}>{title}</Title>
      {children !== undefined && <div className={`dense text-2 ${classes["emptyText"]}`}>{children}</div>}
    </div>
  );
}

/** True once a wait has lasted 300 ms, so that shorter ones do not flash. */
export function useSlow(waiting: boolean, afterMs = 300): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = window.setTimeout(() => setSlow(true), afterMs);
    return () => {
      window.clearTimeout(timer);
      setSlow(false);
    };
  }, [waiting, afterMs]);
  return waiting && slow;
}

/** A skeleton of what is being loaded, with words for it; hidden during the first 300 ms. */
export function Waiting({ words, children }: { words: string; children: React.ReactNode }) {
  const slow = useSlow(true);
  return (
    <div aria-busy="true" className={slow ? undefined : classes["hidden"]}>
      <p role="status" className={`label ${classes["words"]}`}>
        <span className={`spin ${classes["ring"]}`} aria-hidden />
        {slow ? words : ""}
      </p>
      {children}
    </div>
  );
}

/** Skeleton rows of a list: icon, two lines, something at the right. */
export function RowSkeletons({ count = 3, height = 61 }: { count?: number; height?: number }) {
  return (
    <div aria-hidden>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={classes["row"]} style={{ height }}>
          <Skeleton circle height={16} width={16} />
          <div className={classes["rowText"]}>
            <Skeleton height={10} width={`${38 + ((index * 17) % 30)}%`} radius={3} />
            <Skeleton height={8} width={`${24 + ((index * 11) % 22)}%`} radius={3} />
          </div>
          <Skeleton height={10} width={84} radius={3} />
        </div>
      ))}
    </div>
  );
}

/** The line that ends a list. */
export const EndLine = ({ children }: { children: React.ReactNode }) => (
  <p className={`label ${classes["end"]}`}>{children}</p>
);
