/** The number of days after which the use of a flag is evidence. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';

const shipped = { release: 30, experiment: 30, operational: 30, 'kill-switch': 90, permission: 90 };

test.each([
  ['release=60', { ...shipped, release: 60 }],
  ['kill-switch=1, permission=3650', { ...shipped, 'kill-switch': 1, permission: 3650 }],
])('%s', (value, want) => {
  expect(loadConfig({ VEXIL_STALE_DAYS: value }).staleDays).toEqual(want);
});

test.each(['60', 'release=0', 'release=3651', 'release', 'other=3', 'release=1,release=2', 'release=1,'])(
  '%j is refused',
  (value) => {
    expect(() => loadConfig({ VEXIL_STALE_DAYS: value })).toThrow(`VEXIL_STALE_DAYS is "${value}"; allowed: days from`);
  },
);
