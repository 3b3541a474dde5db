import { ActionIcon, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { t } from "../../texts/text.js";
import { ButtonMenu } from "../menu/button-menu.js";
import { toast } from "../toasts/toasts.js";
import { type Columns, fileName, toCsv, toJson } from "./list-file.js";
import { saveFile } from "./save-file.js";

interface Props<Row> {
  /** What the list shows, for the file's name. */
  name: string;
  columns: Columns<Row>;
  /** Reads the whole list, not only what is on screen. */
  read: () => Promise<readonly Row[]> | readonly Row[];
  disabled?: boolean;
}

/** A menu that downloads the whole list as CSV or JSON. */
export function DownloadMenu<Row>({ name, columns, read, disabled = false }: Props<Row>) {
  const [reading, setReading] = useState(false);
  const save = async (kind: "csv" | "json") => {
    setReading(true);
    try {
      const rows = await read();
      const [text, type] =
        kind === "csv" ? [toCsv(rows, columns), "text/csv"] : [toJson(rows, columns), "application/json"];
      saveFile(new Blob([text], { type }), `${fileName(name)}.${kind}`);
    } catch (error) {
      toast("error", error instanceof Error ? error.message : t("The list could not be read."));
    } finally {
      setReading(false);
    }
  };
  return (
    <ButtonMenu
      width={180}
      button={
        <ActionIcon
          variant="default"
          aria-label={t("Download this list")}
          title={t("Download this list")}
          loading={reading}
          disabled={disabled}
        >
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      }
    >
      <Menu.Item onClick={() => void save("csv")}>{t("As CSV")}</Menu.Item>
      <Menu.Item onClick={() => void save("json")}>{t("As JSON")}</Menu.Item>
    </ButtonMenu>
  );
}
