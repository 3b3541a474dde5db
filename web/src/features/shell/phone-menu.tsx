import { ActionIcon } from "@mantine/core";
import { IconMenu2, IconX } from "@tabler/icons-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { t } from "../../texts/text.js";
import { type MenuActs, PhoneMenuPanel } from "./phone-menu-panel.js";
import classes from "./shell.module.css";

/** The navigation on a phone, as a disclosure; wide windows never load it. */
export default function PhoneMenu(acts: MenuActs) {
  const [opened, setOpened] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const Glyph = opened ? IconX : IconMenu2;
  const close = useCallback(() => setOpened(false), []);
  useEffect(close, [close, pathname]);
  return (
    <div ref={box} className={classes["phoneOnly"]}>
      <ActionIcon variant="subtle" aria-label={t("Menu")} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Glyph size={21} stroke={1.75} aria-hidden />
      </ActionIcon>
      {opened && <PhoneMenuPanel box={box} onClose={close} {...acts} />}
    </div>
  );
}
