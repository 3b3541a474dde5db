/** A snapshot index as people say it, from its zero-based number: "Index 1 (latest)". Source: specification §2. */
export function indexLabel(index: number): string {
  const which = index === 0 ? " (latest)" : index === 1 ? " (second latest)" : "";
  return `Index ${index + 1}${which}`;
}

/** Choices of a dropdown of indices: zero-based values, as addresses carry them. */
export const indexChoices = (count: number): { value: string; label: string }[] =>
  Array.from({ length: count }, (_, index) => ({ value: String(index), label: indexLabel(index) }));
