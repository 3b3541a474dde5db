import type { TestObject } from "@web-tester/contracts/entities/object";
import { formatDate } from "../../ui/format/dates.js";
import { counted, formatCount } from "../../ui/format/words.js";
import { type OptionsDraft, SettingFields } from "./setting-fields.js";
import classes from "./rail.module.css";

/** Which snapshots may be removed, and what was removed so far. */
export function RetentionFields({
  options,
  set,
  removed,
  waitsUntil,
}: OptionsDraft & {
  removed: TestObject["removed"];
  waitsUntil: TestObject["retention_waits_until"];
}) {
  const removes = options.keep_days !== null || options.keep_snapshots !== null || options.keep_changed_only;
  return (
    <fieldset className={classes["auth"]}>
      <legend className={classes["legend"]}>Keep snapshots</legend>
      <div className={classes["stack"]}>
        <SettingFields group="keep" options={options} set={set} />
        <p className="label">
          {removes
            ? "What is beyond these limits is deleted for good. The newest snapshot of a page always stays."
            : "Every snapshot is kept."}
        </p>
        {removes && waitsUntil !== null && Date.parse(waitsUntil) > Date.now() && (
          <p className="label">
            An import brought snapshots that these limits would remove. Nothing is removed before{" "}
            {formatDate(waitsUntil)}, unless you change the limits.
          </p>
        )}
        {removed.last_at !== null && <p className="label">{removedWords(removed, removed.last_at)}</p>}
      </div>
    </fieldset>
  );
}

function removedWords(removed: TestObject["removed"], lastAt: string): string {
  const reasons = [
    removed.by_age > 0 ? `${formatCount(removed.by_age)} too old` : "",
    removed.by_count > 0 ? `${formatCount(removed.by_count)} over the number per page` : "",
    removed.unchanged > 0 ? `${formatCount(removed.unchanged)} unchanged` : "",
  ].filter((reason) => reason !== "");
  const sum = removed.by_age + removed.by_count + removed.unchanged;
  return `Removed so far: ${counted(sum, "snapshot")} (${reasons.join(", ")}), last on ${formatDate(lastAt)}.`;
}
