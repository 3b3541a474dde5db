// @ts-check
/**
 * @typedef {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void} Answer
 * @typedef {object} ZooPage a page as on real sites, and what a person who opens it sees
 * @property {string} name
 * @property {Record<string, string | Answer>} answers by path; the page itself is at `/`
 * @property {string[]} [has] texts that its stored HTML contains
 * @property {string[]} [lacks] texts that it does not contain
 * @property {string} [fails] the error code, where no page is stored
 * @property {RegExp} [words] matches the message of the failure
 * @property {"http"[]} [also] other modes of loading that give the same result as the browser
 * @property {number} [deadlineMs] time limit of the visit, where it takes longer than others
 * @property {boolean} [restless] whether the result says that the page did not settle
 */

/** @param {string} body @param {string} [head] */
export const html = (body, head = "") =>
  `<!doctype html><html><head><meta charset="utf-8"><title>Zoo</title>${head}</head><body>${body}</body></html>`;

/** Returns a page whose script runs at its end. @param {string} script @param {string} [body] */
export const scripted = (script, body = "<h1>Before</h1>") => html(`${body}<script>${script}</script>`);

/** @param {number} ms @param {string} text @param {string} [type] @returns {Answer} */
export const late =
  (ms, text, type = "text/html; charset=utf-8") =>
  (_request, response) => {
    setTimeout(() => response.writeHead(200, { "content-type": type }).end(text), ms);
  };

/** @param {number} status @param {Record<string, string>} headers @param {string} [text] @returns {Answer} */
export const answer =
  (status, headers, text = "") =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(text);

export const arrived = html("<h1>Arrived</h1>");
/** Appends a heading to the body. */
export const show = `document.body.insertAdjacentHTML("beforeend", "<h2>Shown</h2>");`;
