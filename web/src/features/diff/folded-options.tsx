import { ActionIcon, Popover } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { t } from "../../texts/text.js";
import classes from "./toolbar.module.css";

/** The options of a comparison: directly in its toolbar, or behind one button where the window is narrow. */
export function FoldedOptions({ isNarrow, children }: { isNarrow: boolean; children: React.ReactNode }) {
  if (!isNarrow)
    return (
      <>
        <span className={classes["rule"]} />
        {children}
      </>
    );
  return (
    <Popover position="bottom-end" width={260} trapFocus>
      <Popover.Target>
        <ActionIcon variant="default" aria-label={t("Diff options")}>
          <IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes["folded"]} data-options>
          {children}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
