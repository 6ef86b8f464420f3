/** Paths of fields as text. */

/** Returns the path of a field as the API server writes it. */
export function pathText(path: readonly string[]): string {
  return path.reduce((sum, key) => {
    if (/^\d+$|[.[\]]/.test(key)) return `${sum}[${key}]`;
    return sum === '' ? key : `${sum}.${key}`;
  }, '');
}

/** Returns the keys of a path as the API server and statuses write it: with brackets around indexes and some keys. */
export function keysOfPath(path: string): string[] {
  return [...path.matchAll(/\[([^[\]]*)\]|([^.[\]]+)/g)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? '');
}
