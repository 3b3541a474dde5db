import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { counted } from "../../ui/format/words.js";
import type { OptionsDraft } from "./setting-fields.js";
import classes from "./rail.module.css";

/** Headers and cookies that go with requests to the site. Values that are stored never come back: they stay until others are typed. */
export function HeaderFields({ options, set, stored }: OptionsDraft & { stored: readonly string[] }) {
  const [replacing, setReplacing] = useState(false);
  const isStored = stored.length > 0 && !replacing && options.headers === undefined;
  if (isStored)
    return (
      <div>
        <p className={classes["legend"]}>Request headers</p>
        <p className="label">
          {counted(stored.length, "header")} stored: <span className="mono">{stored.join(", ")}</span>
        </p>
        <Button variant="default" size="compact-xs" onClick={() => setReplacing(true)}>
          Replace
        </Button>{" "}
        <Button variant="default" size="compact-xs" onClick={() => set({ headers: "" })}>
          Remove
        </Button>
      </div>
    );
  return (
    <Textarea
      label="Request headers"
      description={
        options.headers === "" && stored.length > 0
          ? "The stored headers are removed when you save."
          : "One per line, as Name: value; cookies as Cookie: a=b. Sent to the site's own origin only, kept encrypted."
      }
      data-mono
      rows={2}
      autosize={false}
      resize="vertical"
      spellCheck={false}
      autoComplete="off"
      value={options.headers ?? ""}
      onChange={(event) => set({ headers: event.currentTarget.value })}
    />
  );
}
