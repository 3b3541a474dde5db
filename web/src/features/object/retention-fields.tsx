import { NumberInput, Switch } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import { formatDate } from "../../ui/format/dates.js";
import { counted, formatCount } from "../../ui/format/words.js";
import type { Options } from "./options.js";
import classes from "./rail.module.css";

/** Which snapshots may be removed, and what was removed so far. */
export function RetentionFields({
  options,
  set,
  removed,
  waitsUntil,
}: {
  options: Options;
  set: (part: Partial<Options>) => void;
  removed: TestObject["removed"];
  waitsUntil: TestObject["retention_waits_until"];
}) {
  const limit = (value: string | number) => (value === "" ? null : Math.max(1, Math.round(Number(value)) || 1));
  const removes = options.keepDays !== null || options.keepSnapshots !== null || options.keepChangedOnly;
  return (
    <fieldset className={classes["auth"]}>
      <legend className={classes["legend"]}>Keep snapshots</legend>
      <div className={classes["stack"]}>
        <div className={classes["budgets"]}>
          <NumberInput
            label="Days at most"
            placeholder="No limit"
            min={1}
            max={limits.keepDaysMax}
            allowDecimal={false}
            value={options.keepDays ?? ""}
            onChange={(value) => set({ keepDays: limit(value) })}
          />
          <NumberInput
            label="Per page at most"
            placeholder="No limit"
            min={1}
            max={limits.keepSnapshotsMax}
            allowDecimal={false}
            value={options.keepSnapshots ?? ""}
            onChange={(value) => set({ keepSnapshots: limit(value) })}
          />
        </div>
        <Switch
          size="xs"
          label="Keep changes only"
          description="Snapshots that are the same as the one before are removed."
          checked={options.keepChangedOnly}
          onChange={(event) => set({ keepChangedOnly: event.currentTarget.checked })}
        />
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
