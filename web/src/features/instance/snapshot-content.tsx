import { Collapse, Skeleton } from "@mantine/core";
import type { TestSnapshot, TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { useQuery } from "@tanstack/react-query";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { keepPreview } from "../../api/preview-text.js";
import { snapshotAssetsQuery, snapshotQuery } from "../../api/queries.js";
import { AssetList } from "../../ui/assets/asset-list.js";
import { InlineError, useSlow } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { headerCount, prettyHeaders } from "../../ui/format/headers.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { EditedText } from "./edited-text.js";
import classes from "./instance.module.css";

type Part = "html" | "headers" | "assets";

/** HTML, headers and assets of a snapshot, collapsed at first and loaded when opened. */
export function SnapshotContent({ snapshot, previewsOff }: { snapshot: TestSnapshotSummary; previewsOff: boolean }) {
  const { id, number } = snapshot;
  const { opened, toggle, whole, assets } = useParts(id);
  const [drafts, setDrafts] = useState<{ html?: string | undefined; headers?: string | undefined }>({});
  const preview = usePreview(id);
  const query = opened === "assets" ? assets : whole;
  const slow = useSlow(opened !== undefined && query.isPending);
  return (
    <div className={classes["content"]}>
      <Toggles snapshot={snapshot} headers={whole.data?.headers} opened={opened} onToggle={toggle} />
      <Collapse expanded={opened !== undefined} keepMounted={false}>
        <div className={classes["code"]}>
          {query.isError && <Failed opened={opened} error={query.error} onRetry={() => void query.refetch()} />}
          {slow && <Skeleton height={160} radius={6} aria-label={t("Loading snapshot…")} />}
          {whole.data !== undefined && opened === "html" && (
            <EditedText
              label={t("HTML of snapshot {number}", { number })}
              stored={whole.data.html}
              draft={drafts.html}
              onDraft={(html) => setDrafts({ ...drafts, html })}
              onPreview={previewsOff ? undefined : preview}
            />
          )}
          {whole.data !== undefined && opened === "headers" && (
            <EditedText
              label={t("Headers of snapshot {number}", { number })}
              stored={prettyHeaders(whole.data.headers)}
              draft={drafts.headers}
              onDraft={(headers) => setDrafts({ ...drafts, headers })}
            />
          )}
          {assets.data !== undefined && opened === "assets" && <AssetList assets={assets.data} isKept={!previewsOff} />}
        </div>
      </Collapse>
    </div>
  );
}

/** The part that is open, and the data of the parts that were opened so far. */
function useParts(id: string) {
  const [opened, setOpened] = useState<Part>();
  const [wanted, setWanted] = useState<ReadonlySet<Part>>(new Set());
  const whole = useQuery({ ...snapshotQuery(id), enabled: wanted.has("html") || wanted.has("headers") });
  const assets = useQuery({ ...snapshotAssetsQuery(id), enabled: wanted.has("assets") });
  const toggle = (part: Part) => {
    setWanted(new Set([...wanted, part]));
    setOpened(opened === part ? undefined : part);
  };
  return { opened, toggle, whole, assets };
}

/** Opens a text as a page, in place of the stored one. */
function usePreview(id: string) {
  const navigate = useNavigate();
  return (html: string) => {
    const key = keepPreview(html);
    if (key === null)
      toast("error", t("The browser keeps no more in this tab: the text is too large to be previewed."));
    else void navigate(`/snapshots/${id}/render?previewKey=${key}`);
  };
}

interface TogglesProps {
  snapshot: TestSnapshotSummary;
  /** Undefined until they are loaded. */
  headers: TestSnapshot["headers"] | undefined;
  opened: Part | undefined;
  onToggle: (part: Part) => void;
}

function Toggles({ snapshot, headers, opened, onToggle }: TogglesProps) {
  const count = headers === undefined ? undefined : headerCount(headers);
  const missing =
    snapshot.assets_missing === 0 ? "" : t(", {assets_missing} missing", { assets_missing: snapshot.assets_missing });
  const parts = [
    { part: "html" as const, label: t("HTML"), note: formatBytes(snapshot.html_bytes) },
    { part: "headers" as const, label: t("Headers"), note: count === undefined ? "" : String(count) },
    { part: "assets" as const, label: t("Assets"), note: `${snapshot.assets_total}${missing}` },
  ];
  return (
    <div className={classes["toggles"]}>
      {parts.map(({ part, label, note }) => (
        <button
          key={part}
          type="button"
          className={classes["toggle"]}
          aria-expanded={opened === part}
          onClick={() => onToggle(part)}
        >
          <IconChevronRight size={15} aria-hidden data-opened={opened === part || undefined} />
          {label}
          <span className="text-3">{note}</span>
        </button>
      ))}
    </div>
  );
}

interface FailedProps {
  opened: Part | undefined;
  error: Error;
  onRetry: () => void;
}

function Failed({ opened, error, onRetry }: FailedProps) {
  return (
    <InlineError
      title={opened === "assets" ? t("Failed to load assets") : t("Failed to load snapshot")}
      detail={messageOf(error)}
      onRetry={onRetry}
    />
  );
}
