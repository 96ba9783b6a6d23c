/** SQL for the check of a column with a language tag (BCP 47) in canonical letter case, such as `de` or `zh-Hant-TW`. */
export const isLocale = (column: string) =>
  `${column} ~ '^([a-z]{2,3}|[a-z]{5,8})(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$'`;
