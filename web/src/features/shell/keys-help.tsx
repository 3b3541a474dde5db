import { Modal } from "@mantine/core";
import { t } from "../../texts/text.js";
import { keyList } from "./navigation.js";
import classes from "./shell.module.css";

/** What "?" shows. */
export default function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={<b>{t("Keyboard")}</b>}
      size={420}
      centered
      closeButtonProps={{ "aria-label": t("Close") }}
    >
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
