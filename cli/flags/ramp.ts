/** `vexil ramp`: starts, pauses, resumes, skips and aborts the ramp of a strategy. */
import type { RampChange } from '../../src/domain/flag/edit-ramp.ts';
import { strategyIdOf } from '../../src/domain/flag/strategy-id.ts';
import { wireFeatureStatus } from '../../src/wire/admin/feature-status.ts';
import { type WireStrategy, wireFeatureEnvironment } from '../../src/wire/admin/strategy.ts';
import { bodyAs, connectServer, pathOf, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';
import { type ChangeOptions, makeChange } from './change.ts';
import { type FlagOfProject, flagOnServer } from './flag-on-server.ts';

export type RampAction = RampChange['action'];

export interface RampOptions extends ChangeOptions {
  readonly env: string;
  readonly strategy?: string;
  readonly step?: number;
}

interface Place {
  readonly server: ServerConnection;
  readonly flag: FlagOfProject;
  readonly options: RampOptions;
}

export async function runRamp(
  action: RampAction,
  name: string,
  { options, terminal }: { readonly options: RampOptions; readonly terminal: Terminal },
): Promise<void> {
  const { env: environment, step } = options;
  if ((action === 'skip') !== (step !== undefined)) {
    throw new Failure(
      'skip needs --step with the number of the step to go to, and no other action takes one',
      EXIT.usage,
    );
  }
  const server = await connectServer(options, terminal);
  const flag = await flagOnServer(server, name, options.project);
  const place = { server, flag, options };
  const strategy = await strategyWithRamp(place);
  const path = pathOf(...placeOf(place), 'strategies', strategy.id, 'ramp');
  // The id needs no quotes in a shell.
  const ofStep = step === undefined ? '' : ` --step ${step}`;
  const change = {
    server,
    flag,
    call: { method: 'POST', path, body: { action, step } },
    command: `vexil ramp ${action} ${flag.name} --env ${environment} --strategy ${strategy.id}${ofStep}`,
    done: async () => {
      const ramp = await rampStatus(place, strategy.id);
      const done = { project: flag.project, feature: flag.name, environment, strategy: strategy.id, action, ramp };
      return [`${flag.project}/${flag.name} in ${environment}: ${rampText(ramp, strategy)}`, done] as const;
    },
  } as const;
  await makeChange(change, options, terminal);
}

function placeOf({ flag, options }: Place): readonly string[] {
  return ['projects', flag.project, 'features', flag.name, 'environments', options.env];
}

/** Throws a Failure if no strategy is meant, or more than one. */
async function strategyWithRamp(place: Place): Promise<WireStrategy> {
  const { server, flag, options } = place;
  const { env: environment, strategy: wanted } = options;
  const answer = await server.call({ method: 'GET', path: pathOf(...placeOf(place)) });
  const withRamp = bodyAs(wireFeatureEnvironment, answer).strategies.filter(({ ramp }) => ramp !== undefined);
  const id = wanted === undefined ? undefined : strategyIdOf({ flag: flag.name, environment, key: wanted });
  const meant = wanted === undefined ? withRamp : withRamp.filter((one) => one.id === id || one.title === wanted);
  const [strategy, ...others] = meant;
  if (strategy && others.length === 0) return strategy;
  const where = `with a ramp in the environment "${environment}" of the flag "${flag.name}"`;
  const known = withRamp.map(nameOf).join(', ');
  if (strategy) {
    throw new Failure(`there are ${meant.length} strategies ${where}: ${known}. Name one with --strategy.`, EXIT.usage);
  }
  const which = wanted === undefined ? 'strategy' : `strategy "${wanted}"`;
  const hint = known === '' ? '' : `. Those with a ramp are: ${known}`;
  throw new Failure(`there is no ${which} ${where}${hint}`, EXIT.noInput);
}

function nameOf({ id, title }: WireStrategy): string {
  return title === null ? id : `${id} (${title})`;
}

type RampStatus = (typeof wireFeatureStatus)['_output']['environments'][number]['ramps'][number];

async function rampStatus({ server, flag, options }: Place, id: string): Promise<RampStatus | null> {
  const path = pathOf('projects', flag.project, 'features', flag.name, 'status');
  const { environments } = bodyAs(wireFeatureStatus, await server.call({ method: 'GET', path }));
  const ramps = environments.find(({ name }) => name === options.env)?.ramps ?? [];
  return ramps.find(({ strategyId }) => strategyId === id) ?? null;
}

function rampText(ramp: RampStatus | null, strategy: WireStrategy): string {
  const name = printable(nameOf(strategy));
  if (!ramp) return `the ramp of the strategy ${name} is changed`;
  const { state, step, rollout, nextChangeAt } = ramp;
  const next = nextChangeAt === null ? '' : `, next step at ${nextChangeAt}`;
  const steps = strategy.ramp?.steps?.length ?? 0;
  return `the ramp of the strategy ${name} is ${state}, step ${step} of ${steps}, ${rollout} %${next}`;
}
