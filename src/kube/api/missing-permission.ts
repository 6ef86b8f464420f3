/**
 * Recognises that the authorizer of the API server refused a call: the ServiceAccount of the operator lacks a
 * permission.
 */
import type { MissingPermission } from '../../errors.ts';

/**
 * The authorizer answers before any admission plugin runs, always in these words (`forbiddenMessage` in
 * k8s.io/apiserver). Admission plugins put their own name first, so their texts never match.
 */
const DENIED =
  /^\S+(?: "[^"]*")? is forbidden: User "(?<user>[^"]*)" cannot (?<verb>\S+) resource "(?<resource>[^"]*)" in API group "(?<group>[^"]*)" (?:in the namespace "(?<namespace>[^"]*)"|at the cluster scope)/;

/** Reads the message of a 403; undefined: an admission plugin or a policy refused the call. */
export function readMissingPermission(message: string): MissingPermission | undefined {
  const { user = '', verb = '', resource = '', group = '', namespace } = DENIED.exec(message)?.groups ?? {};
  if (verb === '') return undefined;
  return { user, verb, resource: group === '' ? resource : `${resource}.${group}`, namespace };
}

/** The message with the missing permission and what to do. */
export function missingPermissionMessage({ user, verb, resource, namespace }: MissingPermission): string {
  const place = namespace === undefined ? 'in the whole cluster' : `in the namespace "${namespace}"`;
  return `Vexil lacks a permission in the cluster: ${verb} ${resource} ${place}. Grant it to "${user}".`;
}
