/** The two ways to look at what changed: each has one name, and one sentence that says what it is wherever the name may be taken for the other. */
export const reviewHelp = "Goes through what changed, equal changes as one: accept, ignore or note a problem";
export const bulkHelp = "All pages that differ between two indices, each in full, one below the other.";
