import { t } from "../../texts/text.js";
/** A snapshot index as people say it, from its zero-based number: "Index 1 (latest)". Source: specification §2. */
export function indexLabel(index: number): string {
  const number = index + 1;
  if (index === 0) return t("Index {number} (latest)", { number });
  return index === 1 ? t("Index {number} (second latest)", { number }) : t("Index {number}", { number });
}

/** Choices of a dropdown of indices: zero-based values, as addresses carry them. */
export const indexChoices = (count: number): { value: string; label: string }[] =>
  Array.from({ length: count }, (_, index) => ({ value: String(index), label: indexLabel(index) }));
