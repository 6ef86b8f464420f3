/** `vexil owners`: the fields of a flag with their field managers. */
import { fieldsWithOwnersOf } from '../../src/kube/write/field-owners.ts';
import type { ProtectableOwner } from '../../src/model/field-owner.ts';
import { withCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions, ServerOptions } from '../connection/options.ts';
import { connectServer } from '../connection/server.ts';
import { jsonText, type Terminal } from '../terminal.ts';
import { flagInCluster } from './flag-in-cluster.ts';
import { type ProtectionOptions, protectionOf } from './protection.ts';
import { table } from './table.ts';

export interface OwnersOptions extends ClusterOptions, ServerOptions, OutputOptions, ProtectionOptions {
  readonly project?: string;
}

export async function runOwners(name: string, options: OwnersOptions, terminal: Terminal): Promise<void> {
  const { project, namespace } = options;
  const server = options.server === undefined ? undefined : await connectServer(options, terminal);
  const flag = await withCluster(options, terminal, (cluster) => flagInCluster(cluster, { name, project, namespace }));
  const fields = fieldsWithOwnersOf(flag, await protectionOf(flag, { options, server, terminal }));
  if (options.output === 'json') {
    const shown = fields.map(({ text, owners }) => ({ path: text, owners }));
    terminal.write(jsonText({ name, namespace: flag.metadata.namespace, fields: shown }));
    return;
  }
  const rows = fields.flatMap(({ text, owners }) => {
    const [first = ['-', '', '', ''], ...others] = owners.map(cellsOf);
    return [[text, ...first], ...others.map((cells) => ['', ...cells])];
  });
  terminal.write(table([['FIELD', 'MANAGER', 'OPERATION', 'LAST WRITE', 'PROTECTED'], ...rows]));
}

function cellsOf({ manager, operation, time = '', isProtected }: ProtectableOwner): readonly string[] {
  return [manager, operation, time, isProtected ? 'yes' : 'no'];
}
