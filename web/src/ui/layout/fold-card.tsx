import { Collapse } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { Card } from "./card.js";
import classes from "./fold-card.module.css";

interface Props {
  title: string;
  /** Text at the right of the title. */
  note: (opened: boolean) => string;
  onOpen?: () => void;
  className?: string | undefined;
  startsOpened?: boolean;
  /** Keeps the card open whatever was clicked, for printing. */
  whole?: boolean;
  children: React.ReactNode;
}

/** A card that is collapsed until it is needed. */
export function FoldCard({ title, note, onOpen, className, startsOpened = false, whole = false, children }: Props) {
  const [isOpened, setOpened] = useState(startsOpened);
  const opened = whole || isOpened;
  const panel = useId();
  return (
    <Card className={className} flush>
      <button
        type="button"
        data-print
        className={classes["fold"]}
        aria-expanded={opened}
        aria-controls={panel}
        onClick={() => {
          if (!opened) onOpen?.();
          setOpened(!opened);
        }}
      >
        <IconChevronRight size={16} aria-hidden data-opened={opened || undefined} />
        <span>{title}</span>
        <span className={classes["note"]}>{note(opened)}</span>
      </button>
      <Collapse expanded={opened} id={panel}>
        {children}
      </Collapse>
    </Card>
  );
}
