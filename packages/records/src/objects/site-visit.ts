/** SQL: the `SiteVisit` settings of an object. @param object alias of `test_object` */
export const visitOf = (object: string) => `
  json_build_object('userAgent', ${object}.user_agent, 'language', ${object}.language, 'timeZone', ${object}.time_zone, 'viewport', ${object}.viewport,
    'dismissSelectors', ${object}.dismiss_selectors, 'blockList', ${object}.block_list, 'headersSealed', encode(${object}.request_headers_sealed, 'hex'),
    'signsIn', ${object}.login_sealed IS NOT NULL)`;

/** SQL: the settings besides credentials that the server's answer may depend on; NULL when none is set. @param object alias of `test_object` */
export const askedWith = (object: string) =>
  `nullif(concat_ws('|', nullif(${object}.user_agent, ''), nullif(${object}.language, ''), nullif(${object}.time_zone, ''), nullif(${object}.viewport, ''),
    nullif(array_to_string(${object}.dismiss_selectors, ','), ''), nullif(array_to_string(${object}.block_list, ','), ''), encode(${object}.request_headers_sealed, 'hex'), encode(${object}.login_sealed, 'hex')), '')`;
