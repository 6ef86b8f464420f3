/** The variables that the chart gives to an operator, for an operator that does not run in a pod. */

import type { Stored } from '../stored.ts';
import { projectHelm, type Values } from '../tools/helm.ts';
import { type OperatorWishes, operatorValues } from './operator-values.ts';

/** Without a volume there is no place for the file of the chart, so the caller names another one. */
const ON_A_VOLUME = 'VEXIL_AUDIT_URL';
/** Several operators share this machine. */
const LISTENING = { VEXIL_HTTP_HOST: '127.0.0.1', VEXIL_HTTP_PORT: '0', VEXIL_OPS_PORT: '0' };
/** Settings that are no values of the chart, because they name the content of a Secret or a volume. */
const BESIDE = [
  'VEXIL_ADMIN_TOKEN',
  'VEXIL_OIDC_CLIENT_SECRET',
  'VEXIL_HISTORY_SIGNING_KEY_FILE',
  'VEXIL_HISTORY_EXPORT_URL',
  ON_A_VOLUME,
];

/**
 * Returns the variables that the chart renders for a release in this namespace. Only the addresses and the place of the
 * history differ.
 */
export async function environmentOfChart(home: string, wishes: OperatorWishes = {}): Promise<Record<string, string>> {
  const { settings = {} } = wishes;
  const beside = Object.entries(settings).filter(([name]) => BESIDE.includes(name));
  const values = { ...operatorValues(wishes), adminToken: adminToken(settings) };
  const variables = (await variablesIn(home, values, wishes.watched ?? [])).flatMap(({ name, value }) =>
    value === undefined || name === ON_A_VOLUME ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries([...variables, ...beside]), ...LISTENING };
}

function adminToken({ VEXIL_ADMIN_TOKEN: token }: Readonly<Record<string, string>>): Values {
  return { create: false, ...(token !== undefined && { existingSecret: 'admin-token' }) };
}

/**
 * Rendered objects by namespace and values. Most operators of a worker differ only in the names of their namespaces.
 */
const rendered = new Map<string, Promise<readonly Stored[]>>();

/**
 * The variables of a release in this namespace. A release of the same values is rendered once, with other names put in.
 */
async function variablesIn(home: string, values: Values, watched: readonly string[]): Promise<readonly Stored[]> {
  const isName = (name: string) => name !== '*';
  const names = new Map([home, ...watched].filter(isName).map((name, index) => [name, `namespace-${index}-x`]));
  const placed = { ...values, watch: { namespaces: watched.map((name) => names.get(name) ?? name) } };
  const key = JSON.stringify(placed);
  const found = rendered.get(key) ?? render(names.get(home) ?? home, placed);
  rendered.set(key, found);
  let text = JSON.stringify(await found);
  for (const [name, place] of names) text = text.replaceAll(place, name);
  return JSON.parse(text);
}

async function render(namespace: string, values: Values): Promise<readonly Stored[]> {
  const helm = await projectHelm();
  try {
    const objects = await helm.template(values, { namespace });
    return objects.find(({ kind }) => kind === 'Deployment')?.spec.template.spec.containers[0].env;
  } finally {
    await helm.end();
  }
}
