import { Button } from "@mantine/core";
import { IconShare } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { t } from "../../texts/text.js";
import { Needs } from "../../ui/access/needs.js";
import type { ShareOf } from "./share-of.js";

const ShareDialog = lazy(() => import("./share-dialog.js"));

/** The dialog that makes a link to one thing, and a function that opens it. */
export function useShareDialog(of: ShareOf): { open: () => void; dialog: React.ReactNode } {
  const [opened, setOpened] = useState(false);
  return {
    open: () => setOpened(true),
    dialog: <Suspense fallback={null}>{opened && <ShareDialog of={of} onClose={() => setOpened(false)} />}</Suspense>,
  };
}

/** A button that opens the dialog for a link to one thing. */
export function ShareButton({ of }: { of: ShareOf }) {
  const { open, dialog } = useShareDialog(of);
  return (
    <>
      <Needs call="createShare">
        <Button variant="default" leftSection={<IconShare size={15} aria-hidden />} onClick={open}>
          {t("Share…")}
        </Button>
      </Needs>
      {dialog}
    </>
  );
}
