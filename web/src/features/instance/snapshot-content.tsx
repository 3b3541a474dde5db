import { Collapse, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { snapshotQuery } from "../../api/queries.js";
import { CodeView } from "../../ui/code/code-view.js";
import { InlineError, useSlow } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { headerCount, prettyHeaders } from "../../ui/format/headers.js";
import classes from "./instance.module.css";

type Part = "html" | "headers";

/** HTML and headers of a snapshot, closed at first and read when one of them is opened. */
export function SnapshotContent({ id, number, htmlBytes }: { id: string; number: number; htmlBytes: number | null }) {
  const [opened, setOpened] = useState<Part>();
  const [wanted, setWanted] = useState(false);
  const query = useQuery({ ...snapshotQuery(id), enabled: wanted });
  const slow = useSlow(wanted && query.isPending);
  const toggle = (part: Part) => {
    setWanted(true);
    setOpened(opened === part ? undefined : part);
  };
  const count = query.data === undefined ? undefined : headerCount(query.data.headers);
  const parts = [
    { part: "html" as const, label: "HTML", note: formatBytes(htmlBytes) },
    { part: "headers" as const, label: "Headers", note: count === undefined ? "" : String(count) },
  ];
  return (
    <div className={classes["content"]}>
      <div className={classes["toggles"]}>
        {parts.map(({ part, label, note }) => (
          <button
            key={part}
            type="button"
            className={classes["toggle"]}
            aria-expanded={opened === part}
            onClick={() => toggle(part)}
          >
            <IconChevronRight size={15} aria-hidden data-opened={opened === part || undefined} />
            {label}
            <span className="text-3">{note}</span>
          </button>
        ))}
      </div>
      <Collapse expanded={opened !== undefined} keepMounted={false}>
        <div className={classes["code"]}>
          {query.isError && (
            <InlineError
              title="Failed to load snapshot"
              detail={messageOf(query.error)}
              onRetry={() => void query.refetch()}
            />
          )}
          {slow && <Skeleton height={160} radius={6} aria-label="Loading snapshot…" />}
          {query.data !== undefined && opened === "html" && (
            <CodeView text={query.data.html} label={`HTML of snapshot ${number}`} />
          )}
          {query.data !== undefined && opened === "headers" && (
            <CodeView text={prettyHeaders(query.data.headers)} label={`Headers of snapshot ${number}`} markup={false} />
          )}
        </div>
      </Collapse>
    </div>
  );
}
