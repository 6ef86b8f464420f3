/** Variables that look like ours but are not. */
import type { ErrorDetail } from '../errors.ts';
import { settingNames } from './settings.ts';

/** How Kubernetes writes the address of a Service into a variable. */
export const serviceAddress = /^(tcp|udp|sctp):\/\//;

type Variable = readonly [name: string, value: string];

/**
 * What Kubernetes puts into every pod for each Service of its namespace: a Service `vexil` gives VEXIL_SERVICE_HOST,
 * VEXIL_PORT and more, a Service `vexil-api` the same with VEXIL_API. The values count too: a slip such as
 * VEXIL_HTP_PORT=4242 has the same form of name.
 */
const injected: readonly { readonly name: RegExp; readonly value: RegExp }[] = [
  { name: /^VEXIL(_[A-Z0-9_]+)?_SERVICE_HOST$/, value: /^([\d.]+|[\da-f:]+)$/i },
  { name: /^VEXIL(_[A-Z0-9_]+)?_SERVICE_PORT(_[A-Z0-9_]+)?$/, value: /^\d+$/ },
  { name: /^VEXIL(_[A-Z0-9_]+)?_PORT(_\d+_(TCP|UDP|SCTP))?$/, value: serviceAddress },
  { name: /^VEXIL(_[A-Z0-9_]+)?_PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$/, value: /^/ },
];

function isInjected([name, value]: Variable): boolean {
  return injected.some((form) => form.name.test(name) && form.value.test(value));
}

/** One finding for each `VEXIL_` variable that is neither a setting nor injected. Values are not shown: one may be a token. */
export function unknownNames(variables: readonly Variable[]): ErrorDetail[] {
  const known: readonly string[] = settingNames;
  return variables
    .filter(([name]) => name.startsWith('VEXIL_') && !known.includes(name))
    .filter((variable) => !isInjected(variable))
    .map(([name]) => ({ path: name, message: `${name} is not a setting; the nearest one is ${nearest(name)}` }));
}

function nearest(name: string): string {
  const [first] = settingNames.toSorted((one, other) => editDistance(name, one) - editDistance(name, other));
  return first ?? '';
}

/** Levenshtein: how many letters must be put in, taken out or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
