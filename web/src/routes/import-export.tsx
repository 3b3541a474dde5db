export { TransferPage as Component } from "../features/transfer/transfer-page.js";
