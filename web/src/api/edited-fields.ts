/**
 * Returns the fields of a form that were edited. A form that is saved sends only these: what others saved meanwhile in the other fields
 * stays.
 * @param shown what the form showed when it was opened. @param edited what it holds now
 */
export function editedFields<Fields extends object>(shown: Fields, edited: Fields): Partial<Fields> {
  const before = new Map(Object.entries(shown));
  const entries = Object.entries(edited).filter(
    ([name, value]) => JSON.stringify(before.get(name)) !== JSON.stringify(value),
  );
  return Object.fromEntries(entries) as Partial<Fields>;
}
