/** Whether Yggdrasil can write a text into its rules between quotes. */

/** Of a text for which this is false, Yggdrasil switches the whole flag off for everybody. */
export function isQuotable(text: string): boolean {
  return !text.includes('"') && !text.endsWith('\\');
}
