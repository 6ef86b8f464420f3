/** Applications on the wire: what their SDKs have registered and reported. */
import { z } from 'zod';
import { wireEdgeName } from './flag/feature-usage.ts';
import { sortOrderParam, wholeNumber } from './query.ts';
import { presentTime, wireTime } from './timestamp.ts';

export const applicationsQuery = z.object({
  query: z
    .string()
    .max(1000)
    .optional()
    .meta({ description: 'A part of the name. Case is ignored.', examples: ['shop'] }),
  offset: wholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 }, 'How many to skip'),
  limit: wholeNumber({ least: 1, most: 1000, fallback: 1000 }, 'How many to answer'),
  sortBy: z
    .enum(['appName', 'lastSeenAt'])
    .optional()
    .meta({ description: 'The field to sort by. Left out: appName.', examples: ['appName'] }),
  sortOrder: sortOrderParam.meta({ description: 'The order. Left out: asc.', examples: ['desc'] }),
});

const name = z.string().meta({ description: 'The name that the SDKs of the application report.', examples: ['shop'] });
const empty = z.literal('').meta({ description: 'Vexil keeps none.' });
const environment = z.string().meta({ examples: ['production'] });
const environments = z.array(z.string()).meta({ examples: [['production']] });
const sdkVersion = z.string().meta({ examples: ['unleash-client-node:6.12.1'] });

const base = {
  appName: name,
  description: empty,
  url: empty,
  color: empty,
  icon: empty,
  createdAt: wireTime,
  lastSeen: wireTime,
  edges: z
    .array(z.object({ ...wireEdgeName, environment, lastSeen: wireTime }))
    .meta({ description: 'The edges through which its reports of the last 24 hours came, newest first; at most 10.' }),
};

export const wireApplications = z
  .object({
    applications: z.array(
      z
        .object({
          ...base,
          strategies: z
            .array(z.string())
            .meta({ description: 'The strategy types that its SDKs know.', examples: [['default']] }),
          usage: z
            .array(z.object({ project: z.string().meta({ examples: ['shop'] }), environments }))
            .meta({ description: 'Projects whose flags it asked for; only those that the caller may read.' }),
        })
        .meta({ id: 'ApplicationInList' }),
    ),
    total: z.int().min(0),
  })
  .meta({ id: 'Applications' });

const instance = z.object({
  instanceId: z.string().meta({ examples: ['host-1'] }),
  sdkVersion: sdkVersion.nullable(),
  clientIp: z.null().meta({ description: 'Vexil keeps no addresses.' }),
  lastSeen: wireTime,
});

export const wireInstances = z
  .object({
    instances: z
      .array(instance)
      .meta({ description: 'The instances of the last 24 hours, newest first; at most 1000.' }),
  })
  .meta({ id: 'ApplicationInstances' });

export const wireApplication = z
  .object({
    ...base,
    instances: z.array(instance.extend({ environment })),
    strategies: z.array(z.object({ name: z.string(), notFound: z.literal(true).optional() })),
    seenToggles: z
      .array(z.object({ name: z.string(), project: z.string().optional(), notFound: z.literal(true).optional() }))
      .meta({ description: 'Flags that it asked for, by name; `notFound`: there is no such flag.' }),
  })
  .meta({ id: 'Application' });

const issues = z.object({ missingFeatures: z.array(z.string()), outdatedSdks: z.array(sdkVersion) });

export const wireApplicationOverview = z
  .object({
    projects: z.array(z.string()),
    featureCount: z.int().min(0),
    environments: z.array(
      z.object({
        name: environment,
        instanceCount: z.int().min(0),
        sdks: z.array(sdkVersion),
        lastSeen: wireTime,
        issues,
      }),
    ),
    issues: z.object({ missingStrategies: z.array(z.string()) }),
  })
  .meta({ id: 'ApplicationOverview' });

export const wireOutdatedSdks = z
  .object({ sdks: z.array(z.object({ sdkVersion, applications: z.array(name) })) })
  .meta({ id: 'OutdatedSdks' });

const seenIn = z.object({ environment: z.string(), seenAt: wireTime });

export const wireUnknownFlags = z
  .object({
    unknownFlags: z
      .array(
        z.object({
          name: z.string().meta({ examples: ['one-page-chekout'] }),
          lastSeenAt: wireTime,
          lastEventAt: z.null().meta({ description: 'Search the events for it.' }),
          archived: z.boolean().meta({ description: 'A flag of this name is in the archive.' }),
          reports: z.array(z.object({ appName: name, environments: z.array(seenIn) })),
        }),
      )
      .meta({ description: 'The SDKs of the last 24 hours, sorted by name; at most 1000 reports.' }),
  })
  .meta({ id: 'UnknownFlags' });

/** The first major version of each SDK that Vexil is tested with (docs/sdk.md). */
const currentMajor: Readonly<Record<string, number>> = {
  'unleash-client-node': 6,
  'unleash-node-sdk': 6,
  'unleash-client-python': 6,
  'unleash-python-sdk': 6,
  'unleash-client-go': 4,
  'unleash-go-sdk': 5,
  'unleash-client-java': 12,
  'unleash-java-sdk': 12,
  'unleash-client-js': 3,
  'unleash-js-sdk': 3,
};

/** An SDK that Vexil does not know is not outdated. */
export function isOutdated(version: string): boolean {
  const [sdk = '', number = ''] = version
    .toLowerCase()
    .replace(/^@unleash\//, '')
    .split(':');
  const major = Number(/^v?(\d+)\./.exec(number)?.[1] ?? Number.NaN);
  return Object.hasOwn(currentMajor, sdk) && major < (currentMajor[sdk] ?? 0);
}

/** Times in ms since 1970. */
export function presentApplicationBase({ appName, firstAt, lastAt, edges: through }: Seen) {
  const [createdAt, lastSeen] = [presentTime(firstAt), presentTime(lastAt)];
  const edges = through.map(({ lastAt: at, ...edge }) => ({ ...edge, lastSeen: presentTime(at) }));
  return { appName, description: '', url: '', color: '', icon: '', createdAt, lastSeen, edges };
}

interface Seen {
  readonly appName: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly edges: readonly {
    readonly appName: string;
    readonly instanceId: string;
    readonly environment: string;
    readonly lastAt: number;
  }[];
}

export function presentInstance({ instanceId, sdkVersion: version, lastAt }: SeenInstance) {
  return { instanceId, sdkVersion: version ?? null, clientIp: null, lastSeen: presentTime(lastAt) };
}

interface SeenInstance {
  readonly instanceId: string;
  readonly sdkVersion: string | undefined;
  readonly lastAt: number;
}

/** That an application asked for a name without a flag, or with an archived one. */
export interface UnknownReport {
  readonly name: string;
  readonly archivedUid: string | undefined;
  readonly environment: string;
  readonly appName: string;
  readonly lastAt: number;
}

export function presentUnknownFlags(reports: readonly UnknownReport[]) {
  const names = [...Map.groupBy(reports, (report) => report.name)].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    unknownFlags: names.map(([flag, ofName]) => ({
      name: flag,
      lastSeenAt: presentTime(Math.max(...ofName.map(({ lastAt }) => lastAt))),
      lastEventAt: null,
      archived: ofName.some(({ archivedUid }) => archivedUid !== undefined),
      reports: [...Map.groupBy(ofName, ({ appName }) => appName)].map(([appName, ofApp]) => ({
        appName,
        environments: ofApp.map(({ environment, lastAt }) => ({ environment, seenAt: presentTime(lastAt) })),
      })),
    })),
  };
}
