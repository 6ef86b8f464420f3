/** Finds variables that start like settings but are none. */
import type { ErrorDetail } from '../errors.ts';
import { nearest } from '../model/edit-distance.ts';

/** The form in which Kubernetes writes the address of a Service into a variable. */
export const serviceAddress = /^(tcp|udp|sctp):\/\//;

type Variable = readonly [name: string, value: string];

/**
 * Variables that Kubernetes injects into every pod for each Service of its namespace: a Service `vexil` results in
 * VEXIL_SERVICE_HOST, VEXIL_PORT and more, a Service `vexil-api` in the same with VEXIL_API. The value must match too,
 * because a typo such as VEXIL_HTP_PORT=4242 has a name of the same form.
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

interface KnownNames {
  /** What the names of all settings start with. */
  readonly prefix: string;
  readonly names: readonly string[];
}

/**
 * Returns one detail for each variable with the prefix that is neither a setting nor injected, without its value: it
 * may be a token.
 */
export function unknownNames(variables: readonly Variable[], { prefix, names }: KnownNames): ErrorDetail[] {
  return variables
    .filter(([name]) => name.startsWith(prefix) && !names.includes(name))
    .filter((variable) => !isInjected(variable))
    .map(([name]) => ({ path: name, message: `${name} is not a setting; the nearest one is ${nearest(name, names)}` }));
}
