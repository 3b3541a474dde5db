import { Modal } from "@mantine/core";
import { type Label, t } from "../../texts/text.js";
import classes from "./shell.module.css";

/** The single-key shortcuts and what they do. */
const keyList: readonly { readonly keys: readonly string[]; readonly does: Label }[] = [
  { keys: ["Ctrl", "K"], does: "Go to an object or page" },
  { keys: ["/"], does: "Focus the filter" },
  { keys: ["j"], does: "Next row" },
  { keys: ["k"], does: "Previous row" },
  { keys: ["Enter"], does: "Open" },
  { keys: ["n"], does: "Next change" },
  { keys: ["p"], does: "Previous change" },
  { keys: ["u"], does: "Unified view" },
  { keys: ["s"], does: "Split view" },
  { keys: ["x"], does: "Swap A and B" },
  { keys: ["v"], does: "Visual diff, and back to text" },
  { keys: ["l"], does: "Copy link to this change" },
  { keys: ["i"], does: "Ignore always" },
  { keys: ["a"], does: "Accept, in a review" },
  { keys: ["x"], does: "Note a problem, in a review" },
  { keys: ["z"], does: "Undo, in a review" },
  { keys: ["c"], does: "Live job console" },
  { keys: ["t"], does: "Light or dark" },
  { keys: ["Esc"], does: "Close, then leave the field" },
  { keys: ["?"], does: "This list" },
];

/** The dialog that "?" opens. */
export default function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={<b>{t("Keyboard")}</b>} size={420} centered>
      <dl className={classes["keys"]}>
        {keyList.map((entry) => (
          <div key={entry.does} style={{ display: "contents" }}>
            <dt>
              {entry.keys.map((key) => (
                <kbd key={key} className={classes["kbd"]}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{t(entry.does)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
