/** What becomes of a batch of the audit log. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createIntake } from '../../../../src/audit/log/intake.ts';

test('the events of a batch are read in turns with other work, as their objects may be large', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const turns = new Set<number>();
  let turn = 0;
  let ticking = setImmediate(function tick() {
    turn += 1;
    ticking = setImmediate(tick);
  });
  onTestFinished(() => clearImmediate(ticking));
  const large = {
    get apiVersion() {
      turns.add(turn);
      now += 50;
      return 'audit.k8s.io/v1';
    },
  };
  const counted: string[] = [];
  const intake = createIntake({
    ...{ store: { add: async () => 0 }, now: () => 0, onTaken: () => undefined },
    count: (outcome, events) => counted.push(`${outcome} ${events}`),
  });
  await intake.take(Array.from({ length: 20 }, () => large));
  expect(turns.size).toBeGreaterThanOrEqual(10);
  expect(counted).toContain('unreadable 20');
});
