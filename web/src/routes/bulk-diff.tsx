export { BulkPage as Component } from "../features/diff/bulk/bulk-page.js";
