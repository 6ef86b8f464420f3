/** Asserts that kstatus, users and programs can trust the status of an object. */
import { expect } from 'vitest';
import { kinds } from '../../src/schema/kinds.ts';
import type { Stored } from './stored.ts';

interface AuditEvent {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** Fails unless the status is about the present spec and consistent. The object itself may be wrong. */
export function expectHealthyStatus({ kind, metadata, spec, status }: Stored): void {
  const where = `${kind} ${metadata.namespace}/${metadata.name} has ${JSON.stringify(status)}`;
  const { generation, creationTimestamp, managedFields = [] } = metadata;
  const conditions: readonly AuditEvent[] = status?.conditions ?? [];
  const problems: readonly { severity: string; reason: string }[] = status?.problems ?? [];
  const { Ready: ready, ...others } = Object.fromEntries(conditions.map((one) => [one.type, one]));

  expect(schemaOf(kind).safeParse(status).error, where).toBeUndefined();
  expect(status.observedGeneration, where).toBe(generation);
  expect(new Set(conditions.map(({ type }) => type)).size, where).toBe(conditions.length);
  for (const { observedGeneration, lastTransitionTime, reason, message } of conditions) {
    expect(observedGeneration, where).toBe(generation);
    expect(lastTransitionTime, where).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(lastTransitionTime >= creationTimestamp, where).toBe(true);
    expect(reason, where).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(message, where).toMatch(/\S/);
  }

  // Abnormal conditions are present only while they are true.
  expect(
    Object.values(others).every((one) => one.status === 'True'),
    where,
  ).toBe(true);
  const errors = problems.filter(({ severity }) => severity === 'Error');
  const why = [others['Stalled'], others['Reconciling']].filter((one) => one !== undefined);
  expect(ready?.status, where).toBe(errors.length === 0 ? 'True' : 'False');
  expect(why.length, where).toBe(errors.length === 0 ? 0 : 1);
  for (const { reason, message } of why) {
    expect([reason, message], where).toEqual([ready?.reason, ready?.message]);
    expect(reason, where).toBe(problems[0]?.reason);
  }
  // Errors first.
  expect(problems.slice(0, errors.length), where).toEqual(errors);

  if (kind === 'FeatureFlag') expectOneStory({ where, spec, status });
  const writers = managedFields.filter((one: Stored) => one.subresource === 'status').map((one: Stored) => one.manager);
  expect([...new Set(writers)], where).toEqual(['vexil']);
}

/** The column and the map agree. */
function expectOneStory({ where, spec, status }: Stored): void {
  const on = Object.entries<Stored>(status.environments ?? {}).filter(([, { enabled }]) => enabled);
  const listed = status.enabledIn?.split(',') ?? [];
  expect(listed.toSorted(), where).toEqual(on.map(([name]) => name).sort());
  for (const name of listed) expect(spec.environments[name].enabled, where).toBe(true);
}

function schemaOf(name: string) {
  const kind = kinds.find((one) => one.kind === name);
  if (!kind) throw new Error(`there is no kind ${name}`);
  return kind.status;
}
