/** Paths of fields as text. */

/** As the API server writes the path of a field. */
export function pathText(path: readonly string[]): string {
  return path.reduce((sum, key) => {
    if (/^\d+$|[.[\]]/.test(key)) return `${sum}[${key}]`;
    return sum === '' ? key : `${sum}.${key}`;
  }, '');
}

/** The keys of a path as the API server and statuses write it: with brackets around indexes and some keys. */
export function keysOfPath(path: string): string[] {
  return [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? '');
}
