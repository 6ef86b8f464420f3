/**
 * The cases in which an SDK and Vexil disagree about odd flags: each has its reason, and the answers that it excludes
 * from comparison.
 */

import type {
  ClientConstraint,
  ClientFeature,
  ClientStrategy,
  ClientVariant,
} from '../../src/evaluation/client-document.ts';
import type { ClientDocument } from '../../src/wire/client/read-document.ts';
import type { OddUser } from './odd-flags.ts';

export type Language = 'Node' | 'Python' | 'Go';

/** Everything that decides about a flag: its own rules, those of its parents, and those of the segments of both. */
interface Rules {
  readonly strategies: readonly ClientStrategy[];
  readonly constraints: readonly ClientConstraint[];
  /**
   * The lists of variants of the flag, which its parents do not affect. A variant is chosen from each list separately.
   */
  readonly variants: readonly (readonly ClientVariant[])[];
}

interface OddDifference {
  readonly what: string;
  readonly of: readonly Language[];
  /** Whether only the variant may differ, so that the flag must be on or off in both. */
  readonly variantOnly?: boolean;
  isAbout(rules: Rules, user: OddUser): boolean;
}

const UNKNOWN_TO_GO = ['SEMVER_GTE', 'SEMVER_LTE', 'REGEX', 'IN_CIDR'];
const PERCENTAGES = ['rollout', 'percentage'];

const isMissing = (name: string, { properties, ...fields }: OddUser) =>
  !Object.hasOwn(fields, name) && !Object.hasOwn(properties, name);

function hasBuckets({ strategies, variants }: Rules): boolean {
  const isPartial = ({ parameters }: ClientStrategy) =>
    PERCENTAGES.some((name) => Object.hasOwn(parameters, name) && !['0', '100'].includes(parameters[name] ?? ''));
  return strategies.some(isPartial) || variants.some((list) => list.length > 1);
}

function addressesOf({ strategies }: Rules): readonly string[] {
  return strategies.flatMap(({ parameters }) => parameters['IPs']?.split(',') ?? []).map((one) => one.trim());
}

export const oddDifferences: readonly OddDifference[] = [
  {
    what: 'SDKs for Go do not know the operators SEMVER_GTE, SEMVER_LTE, REGEX and IN_CIDR',
    of: ['Go'],
    isAbout: ({ constraints }) => constraints.some(({ operator }) => UNKNOWN_TO_GO.includes(operator)),
  },
  {
    what: 'Go takes an inverted comparison of numbers or versions for false where the value is missing, others for true',
    of: ['Go'],
    isAbout: ({ constraints }, user) =>
      constraints.some(
        ({ operator, inverted, contextName }) =>
          inverted && /^(NUM|SEMVER)_/.test(operator) && isMissing(contextName, user),
      ),
  },
  {
    what: 'Node hashes the low byte of each UTF-16 unit, others UTF-8: users with ids outside ASCII have other buckets',
    of: ['Node'],
    isAbout: (rules, { userId }) => /[^ -~]/.test(userId) && hasBuckets(rules),
  },
  {
    what: 'a variant that sticks to the session is random for a user without one',
    of: ['Node', 'Python', 'Go'],
    variantOnly: true,
    isAbout: ({ variants }, user) =>
      user.sessionId === undefined && variants.some(([first]) => first?.stickiness === 'sessionId'),
  },
  {
    what: 'Node compares IPv6 addresses in IPs as text, others also as ranges and in other spellings',
    of: ['Node'],
    isAbout: (rules, { remoteAddress = '' }) =>
      remoteAddress.includes(':') && addressesOf(rules).some((one) => one.includes(':')),
  },
  {
    what: 'Node compares entries of IPs that are no address as text, others skip them',
    of: ['Node'],
    isAbout: (rules, { remoteAddress }) => remoteAddress === 'proxy' && addressesOf(rules).includes(remoteAddress),
  },
];

/** Answers by flag and user: `true blue` is whether the flag is on, and the variant. */
export type OddAnswers = readonly (readonly string[])[];

export interface OddComparison {
  readonly document: ClientDocument;
  readonly flags: readonly string[];
  readonly users: readonly OddUser[];
  /** The answers of Vexil. */
  readonly expected: OddAnswers;
}

export interface OddVerdict {
  /** The flag, the user and both answers, for each answer that no difference explains. */
  readonly unexplained: readonly string[];
  /** Differences of the language that explain nothing, and so exclude answers that agree. */
  readonly unneeded: readonly string[];
}

export function compareOddAnswers(comparison: OddComparison, language: Language, answers: OddAnswers): OddVerdict {
  const { document, flags, users, expected } = comparison;
  const known = oddDifferences.filter((one) => one.of.includes(language));
  const needed = new Set<OddDifference>();
  const unexplained = flags.flatMap((flag, index) => {
    const rules = rulesOf(document, flag);
    return users.flatMap((user, number) => {
      const [ours = '', theirs = ''] = [expected[index]?.[number], answers[index]?.[number]];
      if (ours === theirs) return [];
      const reasons = known.filter((one) => isEnough(one, ours, theirs) && one.isAbout(rules, user));
      for (const reason of reasons) needed.add(reason);
      return reasons.length > 0 ? [] : [`${flag} ${user.userId}: ${ours} in Vexil, ${theirs} in ${language}`];
    });
  });
  return { unexplained, unneeded: known.filter((one) => !needed.has(one)).map(({ what }) => what) };
}

function isEnough({ variantOnly = false }: OddDifference, ours: string, theirs: string): boolean {
  return !variantOnly || ours.split(' ')[0] === theirs.split(' ')[0];
}

function rulesOf(document: ClientDocument, name: string): Rules {
  const { features, segments } = document;
  const featuresOf = (one: string): readonly ClientFeature[] => {
    const feature = features.find((each) => each.name === one);
    return feature ? [feature, ...(feature.dependencies ?? []).flatMap((parent) => featuresOf(parent.feature))] : [];
  };
  const all = featuresOf(name);
  const strategies = all.flatMap((feature) => feature.strategies);
  const ofSegments = strategies.flatMap((strategy) => strategy.segments ?? []);
  const own = all.slice(0, 1);
  return {
    strategies,
    constraints: [
      ...strategies.flatMap(({ constraints }) => constraints),
      ...segments.filter(({ id }) => ofSegments.includes(id)).flatMap(({ constraints }) => constraints),
    ],
    variants: own.flatMap((feature) => [feature.variants, ...feature.strategies.map(({ variants }) => variants)]),
  };
}
