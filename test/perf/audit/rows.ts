/** The searches in a large archive, each with other values in each round. */
import type { EntryFilter, Page, Visible } from '../../../src/domain/history/entry.ts';
import { DAYS, environments, FIRST_DAY, flagName, PROJECTS, projectId } from './plausible-entries.ts';

const DAY_MS = 86_400_000;

export interface Question {
  readonly filter: EntryFilter;
  readonly page: Page;
}

export interface Row {
  readonly name: string;
  readonly p99MsAtMost: number | undefined;
  ask(round: number, count: number): Question;
}

const firstPage: Page = { offset: 0, limit: 50 };
const types = ['feature-environment-enabled', 'feature-strategy-update', 'feature-tagged', 'feature-metadata-updated'];
const ways = ['controller', 'console', 'api', 'alert', 'kubectl'] as const;
/** An order that no index has, so that neighbours are not searched one after the other. */
const scattered = (round: number, count: number) => (round * 7919) % count;
const day = (round: number) => FIRST_DAY + scattered(round, DAYS) * DAY_MS;

function row(name: string, p99MsAtMost: number | undefined, filter: (round: number) => EntryFilter): Row {
  return { name, p99MsAtMost, ask: (round) => ({ filter: filter(round), page: firstPage }) };
}

const plain: readonly Row[] = [
  row('no condition', 50, () => ({})),
  row('project', 50, (round) => ({ projects: [projectId(round % PROJECTS)] })),
  row('flag', 50, (round) => ({ features: [flagName(scattered(round, 300))] })),
  row('type', 50, (round) => ({ types: [types[round % types.length] ?? ''] })),
  row('three types', 50, (round) => ({ types: [0, 1, 2].map((next) => types[(round + next) % types.length] ?? '') })),
  row('createdBy', 50, (round) => ({ createdBy: [round % 5 === 0 ? -42 : 10 + (round % 40)] })),
  row('environment', 50, (round) => ({ environments: [environments[round % 4] ?? ''] })),
  row('way', 50, (round) => ({ ways: [ways[round % ways.length] ?? 'alert'] })),
  row('way in a project', 50, (round) => ({ ways: ['alert'], projects: [projectId(round % PROJECTS)] })),
  row('a day', 50, (round) => ({ from: day(round), until: day(round) + DAY_MS })),
  row('a month', 50, (round) => ({ from: day(round), until: day(round) + 30 * DAY_MS })),
  row('project, type and environment', 50, (round) => ({
    projects: [projectId(round % PROJECTS)],
    types: [types[round % 2] ?? ''],
    environments: [environments[round % 4] ?? ''],
  })),
  row('type in a month by a person', 50, (round) => ({
    types: [types[round % 2] ?? ''],
    createdBy: [10 + (round % 40)],
    from: day(round),
    until: day(round) + 30 * DAY_MS,
  })),
  {
    name: 'no condition, deep offset',
    p99MsAtMost: undefined,
    ask: (round, count) => ({
      filter: {},
      page: { offset: Math.floor((count * (50 + (round % 50))) / 100), limit: 50 },
    }),
  },
  row('text of most entries', 300, () => ({ text: 'flexiblerollout' })),
  {
    name: 'text of most entries, counted up to 10,000',
    p99MsAtMost: 300,
    ask: () => ({ filter: { text: 'flexiblerollout' }, page: { ...firstPage, countUpTo: 10_000 } }),
  },
  row('text of a third', 300, (round) => ({ text: ['checkout', 'search', 'pricing'][round % 3] })),
  row('text of a few hundred', 300, (round) => ({ text: `${flagName(280 + (round % 20))}"},"constraints":[]` })),
  row('text of one id', 300, (round) => ({
    text: scattered(round, 2 ** 31)
      .toString(16)
      .padStart(8, '0')
      .slice(0, 7),
  })),
  row('text of none', 300, (round) => ({ text: `zzzz${round}` })),
  row('text of a third in a project', 300, (round) => ({
    text: 'checkout',
    projects: [projectId(round % PROJECTS)],
  })),
  row('text of a third on a day', 300, (round) => ({ text: 'checkout', from: day(round), until: day(round) + DAY_MS })),
  row('two characters of many', undefined, () => ({ text: 'ch' })),
  row('two characters of none', undefined, () => ({ text: '~q' })),
];

function seenBy(round: number): Visible {
  const projects = [0, 1, 2].map((next) => ({ namespace: 'flags', id: projectId((round + next) % PROJECTS) }));
  return { namespaces: [], projects, resources: [] };
}

/** Each search, and the same search by a caller who may see three projects. */
export const rows: readonly Row[] = plain.flatMap((one) => [
  one,
  {
    ...one,
    name: `${one.name}, 3 projects visible`,
    ask: (round, count) => {
      const { filter, page } = one.ask(round, count);
      const isDeep = page.offset > 0;
      return {
        filter: { ...filter, visible: seenBy(round) },
        page: isDeep ? { ...page, offset: (page.offset / 5) | 0 } : page,
      };
    },
  },
]);
