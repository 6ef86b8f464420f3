/** The report of `make bench` about stored ratios. */
import { expect, test } from 'vitest';
import { worseThan } from '../../perf/baseline.ts';
import { comparisonsOf } from '../../perf/comparisons.ts';

const sample = (perSecond: number, p50Ms: number) => ({ perSecond, p50Ms, p99Ms: p50Ms });
const sides = (ours: readonly number[], control: readonly number[]) =>
  [
    { name: 'Vexil', samples: ours.map((each) => sample(each, each)) },
    { name: 'control', samples: control.map((each) => sample(each, each)) },
  ] as const;

test('a ratio is compared with the stored one, and only worse ones are reported', () => {
  const measured = {
    slower: comparisonsOf({ sides: sides([40, 42, 38], [100, 100, 100]), aim: { throughputAtLeast: 0.5 } }),
    faster: comparisonsOf({ sides: sides([70, 70, 70], [100, 100, 100]), aim: { throughputAtLeast: 0.5 } }),
    later: comparisonsOf({ sides: sides([20, 20, 20], [10, 10, 10]), aim: { latencyAtMost: 1.5 } }),
    sooner: comparisonsOf({ sides: sides([10, 10, 10], [10, 10, 10]), aim: { latencyAtMost: 1.5 } }),
    almost: comparisonsOf({ sides: sides([11.4], [10]), aim: { latencyAtMost: 1.5 } }),
    unknown: comparisonsOf({ sides: sides([1], [10]), aim: { throughputAtLeast: 0.5 } }),
  };
  const stored = {
    slower: { control: 0.5 },
    faster: { control: 0.5 },
    later: { control: 1.5 },
    sooner: { control: 1.5 },
    almost: { control: 1 },
    gone: { control: 9 },
  };
  expect(worseThan(stored, measured)).toEqual([
    'slower against control: throughput 0.40, was 0.50: 25 % worse',
    'later against control: latency 2.00, was 1.50: 33 % worse',
  ]);
});
