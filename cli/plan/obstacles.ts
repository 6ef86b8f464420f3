/** The obstacles to a planned change. */
import { freezeSentence } from '../../src/domain/freeze/freeze-in-force.ts';
import type { ObjectPlan } from './plan-objects.ts';

export interface Obstacle {
  /** `error` means that the apply is rejected. */
  readonly severity: 'error' | 'warning';
  readonly rule: 'owned' | 'taken' | 'frozen' | 'used' | 'costly' | 'rejected';
  readonly message: string;
}

/** The object in a message. */
export function objectOf({ kind, namespace, name }: ObjectPlan): string {
  return kind === '' ? 'document' : `${kind} ${namespace}/${name}`;
}

export function obstaclesOf({ action, conflicts, freezes, used, costly, message }: ObjectPlan): readonly Obstacle[] {
  return [
    ...conflicts.map(({ field, manager }): Obstacle => {
      if (action !== 'conflict')
        return { severity: 'warning', rule: 'taken', message: `${field} is taken from "${manager}"` };
      const advice = 'remove it from the files, or apply with --force-conflicts';
      return {
        severity: 'error',
        rule: 'owned',
        message: `${field} is owned by "${manager}" with another value: ${advice}`,
      };
    }),
    ...freezes.map((freeze): Obstacle => {
      const what = `${freezeSentence(freeze)}: it refuses the change to everyone who may not bypass it`;
      return { severity: 'warning', rule: 'frozen', message: what };
    }),
    ...(used === undefined
      ? []
      : [{ severity: 'warning', rule: 'used', message: `the flag is in use: ${used}` } as const]),
    ...(costly ?? []).map((sentence): Obstacle => ({ severity: 'warning', rule: 'costly', message: sentence })),
    ...(message === undefined ? [] : [{ severity: 'error', rule: 'rejected', message } as const]),
  ];
}
