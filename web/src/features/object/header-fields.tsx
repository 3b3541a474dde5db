import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { counted } from "../../ui/format/words.js";
import { rich, t } from "../../texts/text.js";
import type { OptionsDraft } from "./setting-fields.js";
import classes from "./rail.module.css";

/** Edits headers and cookies for requests to the site. Stored values are never shown: they stay until others are typed. */
export function HeaderFields({ options, set, stored }: Omit<OptionsDraft, "faults"> & { stored: readonly string[] }) {
  const [replacing, setReplacing] = useState(false);
  const remove = () => {
    setReplacing(true);
    set({ headers: "" });
  };
  const isStored = stored.length > 0 && !replacing && options.headers === undefined;
  if (isStored) return <Stored names={stored} onReplace={() => setReplacing(true)} onRemove={remove} />;
  return (
    <Textarea
      label={t("Request headers")}
      // it takes the place of the button that was pressed
      autoFocus={replacing}
      description={
        options.headers === "" && stored.length > 0
          ? t("The stored headers are removed when you save.")
          : t(
              "One per line, as Name: value; cookies as Cookie: a=b. Sent to the site's own origin only, kept encrypted.",
            )
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

interface StoredProps {
  names: readonly string[];
  onReplace: () => void;
  onRemove: () => void;
}

/** Lists which headers are stored, with buttons to replace or remove them. */
function Stored({ names, onReplace, onRemove }: StoredProps) {
  return (
    <div>
      <p className={classes["legend"]}>{t("Request headers")}</p>
      <p className="label">
        {rich("{headers} stored: {names}", {
          headers: counted(names.length, "header"),
          names: <span className="mono">{names.join(", ")}</span>,
        })}
      </p>
      <Button variant="default" size="compact-xs" onClick={onReplace}>
        {t("Replace")}
      </Button>{" "}
      <Button variant="default" size="compact-xs" onClick={onRemove}>
        {t("Remove")}
      </Button>
    </div>
  );
}
