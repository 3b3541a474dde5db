import { useState } from "react";
import { messageOf } from "./api-error.js";

/** State of a form's end: saves what was entered, and says why it could not be saved. @param wordsOf says an error */
export function useSaving(wordsOf: (error: unknown) => string = messageOf) {
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const save = async (work: () => Promise<unknown>) => {
    setSaving(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(wordsOf(error));
    }
    setSaving(false);
  };
  return { problem, isSaving, save };
}
