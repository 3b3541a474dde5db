import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconDownload, IconPrinter } from "@tabler/icons-react";
import { ButtonMenu } from "../../../ui/menu/button-menu.js";
import { t } from "../../../texts/text.js";
import { type PatchOf, usePatch } from "../share/patch-button.js";

export interface TakeAllProps {
  patch: PatchOf;
  /** Whether all pages are being rendered for printing. */
  whole: boolean;
  onPrint: () => void;
}

/** A menu to download or print all pages, where the window has no room for buttons. */
export function PhoneMenu({ patch, whole, onPrint }: TakeAllProps) {
  const { words, act } = usePatch(patch);
  return (
    <ButtonMenu
      width={230}
      button={
        <ActionIcon variant="subtle" size="xs" aria-label={t("More")} loading={whole}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
    >
      <Menu.Item leftSection={<IconPrinter size={15} aria-hidden />} onClick={onPrint}>
        {t("Print")}
      </Menu.Item>
      <Menu.Item leftSection={<IconDownload size={15} aria-hidden />} onClick={act}>
        {words}
      </Menu.Item>
    </ButtonMenu>
  );
}
