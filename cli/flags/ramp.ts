/** `vexil ramp`: starts, pauses, resumes, skips and aborts the ramp of a strategy. */
import type { RampChange } from '../../src/domain/flag/edit/edit-ramp.ts';
import { wireFeatureStatus } from '../../src/wire/admin/flag/feature-status.ts';
import type { WireStrategy } from '../../src/wire/admin/flag/strategy.ts';
import { bodyAs, connectServer, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';
import { type ChangeOptions, makeChange } from './change.ts';
import { flagOnServer, pathOfFlag } from './flag-on-server.ts';
import { nameOfStrategy, pathOfRamp, type RampPlace, strategyWithRamp } from './strategy-with-ramp.ts';

export type RampAction = RampChange['action'];

export interface RampOptions extends ChangeOptions {
  readonly action: RampAction;
  readonly env: string;
  readonly strategy?: string;
  readonly step?: number;
}

export async function runRamp(name: string, options: RampOptions, terminal: Terminal): Promise<void> {
  const { action, env: environment, step } = options;
  if ((action === 'skip') !== (step !== undefined)) {
    throw new Failure(
      'skip needs --step with the number of the step to go to, and no other action takes one',
      EXIT.usage,
    );
  }
  const server = await connectServer(options, terminal);
  const flag = await flagOnServer(server, name, options.project);
  const place = { flag, environment, strategy: options.strategy };
  const strategy = await strategyWithRamp(server, place);
  const path = pathOfRamp(place, strategy);
  // The id needs no quotes in a shell.
  const ofStep = step === undefined ? '' : ` --step ${step}`;
  const change = {
    server,
    flag,
    call: { method: 'POST', path, body: { action, step } },
    command: `vexil ramp ${action} ${flag.name} --env ${environment} --strategy ${strategy.id}${ofStep}`,
    done: async () => {
      const ramp = await rampStatus(server, place, strategy.id);
      const done = { project: flag.project, feature: flag.name, environment, strategy: strategy.id, action, ramp };
      return [`${flag.project}/${flag.name} in ${environment}: ${rampText(ramp, strategy)}`, done] as const;
    },
  } as const;
  await makeChange(change, options, terminal);
}

type RampStatus = (typeof wireFeatureStatus)['_output']['environments'][number]['ramps'][number];

async function rampStatus(server: ServerConnection, place: RampPlace, id: string): Promise<RampStatus | null> {
  const { flag, environment } = place;
  const path = pathOfFlag(flag, 'status');
  const { environments } = bodyAs(wireFeatureStatus, await server.call({ method: 'GET', path }));
  const ramps = environments.find(({ name }) => name === environment)?.ramps ?? [];
  return ramps.find(({ strategyId }) => strategyId === id) ?? null;
}

function rampText(ramp: RampStatus | null, strategy: WireStrategy): string {
  const name = printable(nameOfStrategy(strategy));
  if (!ramp) return `the ramp of the strategy ${name} is changed`;
  const { state, step, rollout, nextChangeAt } = ramp;
  const next = nextChangeAt === null ? '' : `, next step at ${nextChangeAt}`;
  const steps = strategy.ramp?.steps?.length ?? 0;
  return `the ramp of the strategy ${name} is ${state}, step ${step} of ${steps}, ${rollout} %${next}`;
}
