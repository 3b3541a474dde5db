import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import { counted } from "../format/words.js";
import { type Label, t } from "../../texts/text.js";
import { ChangeCounts } from "./status.js";
import classes from "./status.module.css";

/** The names of facts: what a page says beside its text. */
export const factNames: Record<PageFact, Label> = {
  status: "status",
  redirect: "redirect",
  content_type: "content type",
  csp: "security policy",
  x_robots_tag: "X-Robots-Tag",
  title: "title",
  canonical: "canonical address",
  robots: "robots",
};

/**
 * Shows how much a snapshot differs from the one before: lines, files and facts; what did not change is left out. Where rules ignore
 * something (`ignored` > 0), changed places are shown in place of lines, since rules do not affect the count of lines. A change
 * without any figures is one that took too long to compare.
 */
export function ChangeFigures({
  added,
  removed,
  files,
  facts,
  changes = 0,
  ignored = 0,
  atMost = false,
}: {
  added: number;
  removed: number;
  files: number;
  facts: readonly PageFact[];
  changes?: number;
  ignored?: number;
  atMost?: boolean;
}) {
  const besides = [...(files > 0 ? [counted(files, "file")] : []), ...facts.map((fact) => t(factNames[fact]))].join(
    ", ",
  );
  const hasLines = added + removed > 0;
  if (!hasLines && besides === "" && changes + ignored === 0)
    return (
      <span className={classes["besides"]} title={t("Comparing the two snapshots took too long")}>
        {t("not counted")}
      </span>
    );
  return (
    <>
      {ignored > 0 ? (
        <span className={classes["besides"]}>
          {t("{changes}, {ignored} ignored", { changes: counted(changes, "change"), ignored })}
        </span>
      ) : (
        (hasLines || atMost || besides === "") && <ChangeCounts added={added} removed={removed} atMost={atMost} />
      )}
      {besides !== "" && (
        <span className={classes["besides"]} title={besides}>
          {besides}
        </span>
      )}
    </>
  );
}
