import type { TestObject } from "@web-tester/contracts/entities/object";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import { type OptionsDraft, SettingFields } from "./setting-fields.js";
import classes from "./rail.module.css";

/** Edits which snapshots may be removed, and says what was removed so far. */
export function RetentionFields({
  removed,
  waitsUntil,
  ...draft
}: OptionsDraft & {
  removed: TestObject["removed"];
  waitsUntil: TestObject["retention_waits_until"];
}) {
  const { options } = draft;
  const removes = options.keep_days !== null || options.keep_snapshots !== null || options.keep_changed_only;
  return (
    <div className={classes["stack"]}>
      <SettingFields group="keep" {...draft} />
      <p className="label">
        {removes
          ? t("What is beyond these limits is deleted for good. The newest snapshot of a page always stays.")
          : t("Every snapshot is kept.")}
      </p>
      {removes && waitsUntil !== null && Date.parse(waitsUntil) > Date.now() && (
        <p className="label">
          {t(
            "An import brought snapshots that these limits would remove. Nothing is removed before {at}, unless you change the limits.",
            { at: formatDate(waitsUntil) },
          )}
        </p>
      )}
      {removed.last_at !== null && <p className="label">{removedWords(removed, removed.last_at)}</p>}
    </div>
  );
}

function removedWords(removed: TestObject["removed"], lastAt: string): string {
  const reasons = [
    removed.by_age > 0 ? t("{count} too old", { count: removed.by_age }) : "",
    removed.by_count > 0 ? t("{count} over the number per page", { count: removed.by_count }) : "",
    removed.unchanged > 0 ? t("{unchanged} unchanged", removed) : "",
  ].filter((reason) => reason !== "");
  const sum = removed.by_age + removed.by_count + removed.unchanged;
  return t("Removed so far: {snapshots} ({reasons}), last on {at}.", {
    snapshots: counted(sum, "snapshot"),
    reasons: reasons.join(", "),
    at: formatDate(lastAt),
  });
}
