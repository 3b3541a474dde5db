/** The sentences that explain the two ways to look at changes, shown wherever the name of one may be taken for the other. */
export const reviewHelp = "Shows what changed, equal changes only once, to accept, ignore or report as a problem";
export const bulkHelp = "All pages that differ between two indices, each in full, one below the other.";
