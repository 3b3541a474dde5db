import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import type { AuditQuery } from "../../api/access-queries.js";
import { open } from "../../api/client.js";
import { t } from "../../texts/text.js";
import { saveFile } from "../../ui/download/save-file.js";
import { ButtonMenu } from "../../ui/menu/button-menu.js";
import { toast } from "../../ui/toasts/toasts.js";

/** Downloads everything that matches the filter, not only what is on screen. */
export function ExportMenu({ filter }: { filter: AuditQuery }) {
  const [reading, setReading] = useState(false);
  const save = async (format: "csv" | "json") => {
    setReading(true);
    try {
      const answer = await open("exportAudit", { query: { ...filter, format } });
      saveFile(await answer.blob(), `web-tester-changes-${new Date().toISOString()}.${format}`);
    } catch (error) {
      toast("error", messageOf(error));
    } finally {
      setReading(false);
    }
  };
  return (
    <ButtonMenu
      width={180}
      button={
        <Button variant="default" loading={reading} leftSection={<IconDownload size={15} aria-hidden />}>
          {t("Export")}
        </Button>
      }
    >
      <Menu.Item onClick={() => void save("csv")}>{t("As CSV")}</Menu.Item>
      <Menu.Item onClick={() => void save("json")}>{t("As JSON")}</Menu.Item>
    </ButtonMenu>
  );
}
