/** Finds the strategy whose ramp a command changes. */
import { strategyIdOf } from '../../src/domain/flag/strategy-id.ts';
import { type WireStrategy, wireFeatureEnvironment } from '../../src/wire/admin/flag/strategy.ts';
import { bodyAs, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';
import { type FlagOfProject, pathOfFlag } from './flag-on-server.ts';

export interface RampPlace {
  readonly flag: FlagOfProject;
  readonly environment: string;
  /** The key, id or title of the strategy; undefined means the only one with a ramp. */
  readonly strategy: string | undefined;
}

export function pathOfRamp({ flag, environment }: RampPlace, { id }: WireStrategy): string {
  return pathOfFlag(flag, 'environments', environment, 'strategies', id, 'ramp');
}

/** Throws a Failure if no strategy matches, or more than one. */
export async function strategyWithRamp(server: ServerConnection, place: RampPlace): Promise<WireStrategy> {
  const { flag, environment, strategy: wanted } = place;
  const answer = await server.call({ method: 'GET', path: pathOfFlag(flag, 'environments', environment) });
  const withRamp = bodyAs(wireFeatureEnvironment, answer).strategies.filter(({ ramp }) => ramp !== undefined);
  const id = wanted === undefined ? undefined : strategyIdOf({ flag: flag.name, environment, key: wanted });
  const meant = wanted === undefined ? withRamp : withRamp.filter((one) => one.id === id || one.title === wanted);
  const [strategy, ...others] = meant;
  if (strategy && others.length === 0) return strategy;
  const where = `with a ramp in the environment "${environment}" of the flag "${flag.name}"`;
  const known = withRamp.map(nameOfStrategy).join(', ');
  if (strategy) {
    const message = `there are ${meant.length} strategies ${where}: ${known}. Name the strategy.`;
    throw new Failure(message, EXIT.usage);
  }
  const which = wanted === undefined ? 'strategy' : `strategy "${wanted}"`;
  const hint = known === '' ? '' : `. Those with a ramp are: ${known}`;
  throw new Failure(`there is no ${which} ${where}${hint}`, EXIT.noInput);
}

export function nameOfStrategy({ id, title }: WireStrategy): string {
  return title === null ? id : `${id} (${title})`;
}
