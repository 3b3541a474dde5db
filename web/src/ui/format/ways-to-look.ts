/** The sentences that explain the two ways to look at changes, shown wherever the name of one may be taken for the other. */
export const reviewHelp = "Goes through what changed, equal changes as one: accept, ignore or note a problem";
export const bulkHelp = "All pages that differ between two indices, each in full, one below the other.";
