/** `vexil on` and `vexil off`: the switch of a flag. */
import { memberElement, textOf } from '../../src/kube/object/field-set.ts';
import { connectServer } from '../connection/server.ts';
import type { Terminal } from '../terminal.ts';
import { type ChangeOptions, makeChange } from './change.ts';
import { flagOnServer, pathOfFlag } from './flag-on-server.ts';

export type Position = 'on' | 'off';

export interface SwitchOptions extends ChangeOptions {
  readonly env: string;
  readonly position: Position;
}

export async function runSwitch(name: string, options: SwitchOptions, terminal: Terminal): Promise<void> {
  const server = await connectServer(options, terminal);
  const flag = await flagOnServer(server, name, options.project);
  const { project } = flag;
  const { env: environment, position } = options;
  const done = { project, feature: flag.name, environment, enabled: position === 'on' };
  const path = pathOfFlag(flag, 'environments', environment, position);
  const change = {
    server,
    flag,
    call: { method: 'POST', path },
    command: `vexil ${position} ${flag.name} --env ${environment}`,
    fields: [textOf(['environments', environment, 'enabled'].map(memberElement))],
    done: async () => [`${project}/${flag.name} is switched ${position} in ${environment}`, done] as const,
  } as const;
  await makeChange(change, options, terminal);
}
