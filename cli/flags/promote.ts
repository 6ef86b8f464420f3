/** `vexil promote`: the configuration of a flag in one environment, copied to another. */
import { wireFeatureEnvironment } from '../../src/wire/admin/flag/strategy.ts';
import { bodyAs, connectServer } from '../connection/server.ts';
import { plural } from '../plural.ts';
import type { Terminal } from '../terminal.ts';
import { type ChangeOptions, makeChange } from './change.ts';
import { flagOnServer, pathOfFlag } from './flag-on-server.ts';

export interface PromoteOptions extends ChangeOptions {
  readonly from: string;
  readonly to: string;
}

export async function runPromote(name: string, options: PromoteOptions, terminal: Terminal): Promise<void> {
  const { from, to } = options;
  const server = await connectServer(options, terminal);
  const flag = await flagOnServer(server, name, options.project);
  const change = {
    server,
    flag,
    call: { method: 'POST', path: pathOfFlag(flag, 'environments', to, 'copy'), body: { from } },
    command: `vexil promote ${flag.name} --from ${from} --to ${to}`,
    done: async () => {
      const answer = await server.call({ method: 'GET', path: pathOfFlag(flag, 'environments', to) });
      const { enabled, strategies } = bodyAs(wireFeatureEnvironment, answer);
      const done = { project: flag.project, feature: flag.name, from, environment: to, enabled, strategies };
      const ramps = strategies.filter(({ ramp }) => ramp !== undefined).length;
      const waiting = `\n${plural(ramps, 'ramp')} ${ramps === 1 ? 'waits: start it' : 'wait: start them'} with vexil ramp start ${flag.name} --env ${to}`;
      const text = `${flag.project}/${flag.name}: ${to} has the configuration of ${from}, ${plural(strategies.length, 'strategy', 'strategies')}. The flag is ${enabled ? 'on' : 'off'} there.`;
      return [ramps > 0 ? text + waiting : text, done] as const;
    },
  } as const;
  await makeChange(change, options, terminal);
}
