/** Scripts of calls, which the model and the real API server must answer alike. */
import type { Call } from '../../../src/kube/api/transport.ts';
import { createSchedule } from '../schedule.ts';
import { flagCalls } from './flag-calls.ts';
import { configMapCalls, eventCalls, leaseCalls } from './other-calls.ts';
import type { Choice, Known, ScriptedCalls } from './script-step.ts';

export interface Step {
  readonly what: string;
  /** The call to a server whose client knows this. */
  callFor(namespace: string, known: Known): Call;
}

/** As often as each is picked. */
const SOURCES = [flagCalls, flagCalls, flagCalls, flagCalls, leaseCalls, configMapCalls, eventCalls];
const NAMES = ['a', 'b', 'c'];

/** The same script for the same seed. */
export function aScript(seed: number, steps: number): readonly Step[] {
  const { below, pick } = createSchedule(seed);
  return Array.from({ length: steps }, (_, index): Step => {
    const source = index < 2 ? flagCalls : pick(SOURCES);
    const [what] = pick(Object.entries(source.calls).slice(0, index < 2 ? 1 : undefined));
    const name = pick(source === flagCalls ? NAMES : NAMES.slice(0, 1));
    return aStep(source, what, { name, isStale: below(3) === 0, number: below(5), flag: below(2) === 0 });
  });
}

/** One step of this name. */
export function aStep({ path, calls }: ScriptedCalls, what: string, chosen: Partial<Choice>): Step {
  const choice: Choice = { name: 'a', isStale: false, number: 0, flag: false, ...chosen };
  const callOf = calls[what];
  if (callOf === undefined) throw new Error(`There is no call to ${what}`);
  return {
    what: `${what} ${JSON.stringify(choice)}`,
    callFor(namespace, { objects, pages }) {
      const all = path(namespace);
      const one = `${all}/${choice.name}`;
      const { uid, versions = [] } = objects.get(one) ?? {};
      const version = (choice.isStale ? versions[0] : versions.at(-1)) ?? '1';
      return callOf(choice, { namespace, all, one, uid, version, pages });
    },
  };
}

/** The end of each script: what its watches bring last. */
export const LAST_STEPS: readonly Step[] = [
  aStep(flagCalls, 'create', { name: 'end' }),
  aStep(configMapCalls, 'delete the ConfigMap', {}),
  aStep(configMapCalls, 'create the ConfigMap', {}),
];
