/** Every state of an object by the reason in its status, and how each comes about. */
import type { ProblemReason } from '../../../src/schema/condition.ts';
import type { Constraint } from '../../../src/schema/constraint.ts';
import {
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aRole,
  aSegment,
  aStrategyType,
  aToken,
  aUser,
  type Manifest,
} from '../builders.ts';
import { approvalStates } from './approval-states.ts';
import { sinkStates } from './sink-states.ts';
import type { State } from './state.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };

/** Both objects claim `name`. The first one is older, or comes first by name. */
const conflictingOwners = (
  build: (place: string, spec: object) => Manifest,
  home: string,
  name: string,
  spec: object,
) => ['a', 'b'].map((letter) => build(`${home}/${name}-${letter}`, spec));

const recorded = (severity: 'Error' | 'Warning', ...path: readonly string[]) => ({ finding: { severity, path } });

/**
 * The states in an operator namespace with the environments development and production, and with the project shop,
 * which uses both.
 */
export function statesIn(home: string): Readonly<Record<ProblemReason, readonly State[]>> {
  const flag = (name: string, spec: Parameters<typeof aFlag>[1]) => [aFlag(`${home}/${name}`, spec)];
  const token = (name: string, spec: Parameters<typeof aToken>[1]) => [aToken(`${home}/${name}`, spec)];
  return {
    ...flagStates(home, flag),
    ...tokenStates(token),
    ...cloneStates(home),
    ...segmentStates(home, flag),
    ...approvalStates(home),
    ...sinkStates(home),
    NameConflict: [
      { what: 'a flag', prospect: 'failed', objects: conflictingOwners(aFlag, home, 'name', { name: 'Taken' }) },
      { what: 'a project', prospect: 'failed', objects: conflictingOwners(aProject, home, 'name', { name: 'Taken' }) },
      {
        what: 'an environment',
        prospect: 'failed',
        objects: conflictingOwners(anEnvironment, home, 'name', { name: 'Taken' }),
      },
      { what: 'a user', prospect: 'failed', objects: conflictingOwners(aUser, home, 'name', { username: 'Taken' }) },
      { what: 'a role', prospect: 'failed', objects: conflictingOwners(aRole, home, 'name', { name: 'Taken' }) },
      {
        what: 'a strategy type',
        prospect: 'failed',
        objects: conflictingOwners(aStrategyType, home, 'name', { name: 'Taken' }),
      },
      { what: 'a token', prospect: 'failed', objects: conflictingOwners(aToken, home, 'name', { name: 'Taken' }) },
      { what: 'a segment', prospect: 'failed', objects: conflictingOwners(aSegment, home, 'name', { name: 'Taken' }) },
    ],
    UnknownTimeZone: [
      {
        what: 'an environment',
        prospect: 'failed',
        objects: [
          anEnvironment(`${home}/far-away`, {
            freezes: [{ name: 'nights', days: ['Mon'], from: '18:00', until: '06:00', timeZone: 'Mars/Olympus' }],
          }),
        ],
      },
    ],
    DuplicateName: [
      { what: 'a flag', prospect: 'current', objects: [aFlag(`${home}/wanted`)], ...recorded('Warning', 'name') },
      { what: 'a project', prospect: 'current', objects: [aProject(`${home}/wanted`)], ...recorded('Warning', 'name') },
    ],
    BuiltInName: [
      {
        what: 'a strategy type',
        prospect: 'current',
        objects: [aStrategyType(`${home}/later`, { name: 'gradualRolloutRandom' })],
      },
    ],
    IdConflict: [
      { what: 'a user', prospect: 'failed', objects: conflictingOwners(aUser, home, 'id', { id: 501 }) },
      { what: 'a role', prospect: 'failed', objects: conflictingOwners(aRole, home, 'id', { id: 502 }) },
      { what: 'a segment', prospect: 'failed', objects: conflictingOwners(aSegment, home, 'id', { id: 503 }) },
    ],
    SubjectConflict: [
      {
        what: 'a user',
        prospect: 'failed',
        objects: conflictingOwners(aUser, home, 'subject', { subjects: [{ kind: 'User', name: 'ada' }] }),
      },
    ],
    EmailShared: [
      {
        what: 'a user',
        prospect: 'current',
        objects: conflictingOwners(aUser, home, 'mail', { email: 'ada@example.com' }),
      },
    ],
    RoleNotFound: [
      { what: 'a user', prospect: 'waits', objects: [aUser(`${home}/no-role`, { rootRole: 'Nobody' })] },
      {
        what: 'a member of a project',
        prospect: 'current',
        objects: [
          aUser(`${home}/ada`),
          aUser(`${home}/lin`),
          aProject(`${home}/no-role`, { members: { ada: 'nobody', lin: 'owner' } }),
        ],
      },
    ],
    UserNotFound: [
      { what: 'a token', prospect: 'waits', objects: token('no-user', { type: 'personal', user: 'nobody' }) },
      {
        what: 'a member of a project',
        prospect: 'current',
        objects: [aUser(`${home}/lin`), aProject(`${home}/no-user`, { members: { ghost: 'owner', lin: 'owner' } })],
      },
    ],
    UserReplaced: [
      { what: 'a token', prospect: 'failed', objects: token('other-user', {}), ...recorded('Error', 'user') },
      {
        what: 'a member of a project',
        prospect: 'current',
        objects: [aProject(`${home}/other-user`)],
        ...recorded('Warning', 'members', 'ada'),
      },
    ],
    EnvironmentNotFound: [
      { what: 'a flag', prospect: 'waits', objects: flag('no-environment', { environments: { moon: on } }) },
      {
        what: 'a project',
        prospect: 'waits',
        objects: [aProject(`${home}/no-environment`, { environments: ['moon'] })],
      },
      {
        what: 'the clone of one',
        prospect: 'waits',
        objects: [anEnvironment(`${home}/of-moon`, { clone: { from: 'moon' } })],
      },
      {
        what: 'a role',
        prospect: 'current',
        objects: [
          aRole(`${home}/no-environment`, {
            permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'moon' }],
          }),
        ],
      },
      { what: 'a token', prospect: 'waits', objects: token('no-environment', { environment: 'moon' }) },
    ],
    UnknownPermission: [
      {
        what: 'a role',
        prospect: 'current',
        objects: [aRole(`${home}/no-permission`)],
        ...recorded('Warning', 'permissions', '0', 'name'),
      },
    ],
    InvalidNamingPattern: [
      {
        what: 'a project',
        prospect: 'failed',
        objects: [aProject(`${home}/no-pattern`, { flagNaming: { pattern: '(' } })],
      },
    ],
    NoOwner: [
      {
        what: 'a project',
        prospect: 'current',
        objects: [aUser(`${home}/lin`), aProject(`${home}/no-owner`, { members: { lin: 'member' } })],
      },
    ],
  };
}

function segmentStates(
  home: string,
  flag: (name: string, spec: Parameters<typeof aFlag>[1]) => readonly Manifest[],
): Readonly<Record<'SegmentNotFound' | 'SegmentNotReady', readonly State[]>> {
  const uses = (segment: string) => ({
    production: { enabled: true, strategies: { one: { name: 'default', segments: [segment] } } },
  });
  return {
    SegmentNotFound: [
      { what: 'a flag', prospect: 'waits', objects: flag('no-segment', { environments: uses('none') }) },
    ],
    SegmentNotReady: [
      {
        what: 'a flag',
        prospect: 'waits',
        objects: [
          ...conflictingOwners(aSegment, home, 'twin', { id: 504 }),
          ...flag('unready-segment', { environments: uses('twin-b') }),
        ],
      },
    ],
  };
}

type FlagReason =
  | 'InvalidSpec'
  | 'ProjectNotFound'
  | 'EnvironmentNotInProject'
  | 'UnknownStrategy'
  | 'MissingParameter'
  | 'EnabledWithoutStrategies'
  | 'NamingPatternMismatch'
  | 'LifetimeExceeded'
  | 'UnreadablePayload'
  | 'ClientsDisagree'
  | 'EvaluationTooCostly'
  | 'ParentNotFound'
  | 'DependencyChain';

function flagStates(
  home: string,
  flag: (name: string, spec: Parameters<typeof aFlag>[1]) => readonly Manifest[],
): Readonly<Record<FlagReason, readonly State[]>> {
  const uses = (name: string) => ({ production: { enabled: true, strategies: { one: { name } } } });
  const withConstraint = (name: string, constraint: Constraint) =>
    flag(name, {
      environments: {
        production: { enabled: true, strategies: { one: { name: 'default', constraints: [constraint] } } },
      },
    });
  const bare = { environments: { production: { enabled: true } } };
  const costly = { contextName: 'userId', operator: 'REGEX', value: '(a{30}){30}' } as const;
  const countries = { name: 'countries', type: 'list', required: true } as const;
  return {
    InvalidSpec: [
      { what: 'a flag', prospect: 'failed', objects: flag('invalid', {}), ...recorded('Error', 'variants') },
    ],
    ProjectNotFound: [
      { what: 'a flag', prospect: 'waits', objects: flag('no-project', { project: 'nowhere' }) },
      {
        what: 'a token',
        prospect: 'waits',
        objects: [aToken(`${home}/no-project`, { projects: ['nowhere'] })],
      },
      { what: 'a segment', prospect: 'waits', objects: [aSegment(`${home}/no-project`, { project: 'nowhere' })] },
    ],
    EnvironmentNotInProject: [
      {
        what: 'a flag',
        prospect: 'waits',
        objects: [
          aProject(`${home}/narrow`, { environments: ['development'] }),
          ...flag('outside', { project: 'narrow', environments: { production: on } }),
        ],
      },
    ],
    UnknownStrategy: [{ what: 'a flag', prospect: 'waits', objects: flag('unknown', { environments: uses('odd') }) }],
    MissingParameter: [
      {
        what: 'a flag',
        prospect: 'current',
        objects: [
          aStrategyType(`${home}/in-countries`, { parameters: [countries] }),
          ...flag('less', { environments: uses('in-countries') }),
        ],
      },
    ],
    EnabledWithoutStrategies: [{ what: 'a flag', prospect: 'failed', objects: flag('bare', bare) }],
    NamingPatternMismatch: [
      {
        what: 'a flag',
        prospect: 'current',
        objects: [
          aProject(`${home}/named`, { flagNaming: { pattern: 'x-.*' } }),
          ...flag('misnamed', { project: 'named' }),
        ],
      },
    ],
    LifetimeExceeded: [
      { what: 'a flag', prospect: 'current', objects: flag('old', {}), ...recorded('Warning', 'type') },
    ],
    UnreadablePayload: [
      {
        what: 'a flag',
        prospect: 'current',
        objects: flag('unreadable', { variants: [{ name: 'v', payload: { type: 'json', value: '{' } }] }),
      },
    ],
    EvaluationTooCostly: [{ what: 'a flag', prospect: 'failed', objects: withConstraint('costly', costly) }],
    ParentNotFound: [
      { what: 'a flag', prospect: 'waits', objects: flag('orphan', { dependencies: [{ feature: 'nobody' }] }) },
    ],
    DependencyChain: [
      {
        what: 'a flag',
        prospect: 'failed',
        objects: [
          ...flag('eldest', {}),
          ...flag('middle', { dependencies: [{ feature: 'eldest' }] }),
          ...flag('youngest', { dependencies: [{ feature: 'middle' }] }),
        ],
      },
    ],
    ClientsDisagree: [
      {
        what: 'a flag, in another form',
        prospect: 'current',
        objects: withConstraint('disagree', { contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['x'] }),
      },
      {
        what: 'a flag',
        prospect: 'failed',
        objects: withConstraint('unservable', { contextName: 'age', operator: 'NUM_GT', value: '1e400' }),
      },
    ],
  };
}

type TokenReason =
  | 'Expired'
  | 'SecretNotFound'
  | 'SecretMissing'
  | 'SecretNotOurs'
  | 'SecretUnusable'
  | 'TokenConflict';

function tokenStates(
  token: (name: string, spec: Parameters<typeof aToken>[1]) => readonly Manifest[],
): Readonly<Record<TokenReason, readonly State[]>> {
  const a = { what: 'a token' } as const;
  const path = ['secretRef'];
  const away = { name: 'not-there' };
  return {
    Expired: [{ ...a, prospect: 'failed', objects: token('over', { expiresAt: '2020-01-01T00:00:00Z' }) }],
    SecretNotFound: [{ ...a, prospect: 'waits', objects: token('no-secret', { secretRef: away }) }],
    SecretMissing: [{ ...a, prospect: 'current', objects: token('lost', {}), finding: { severity: 'Warning', path } }],
    SecretNotOurs: [{ ...a, prospect: 'waits', objects: token('foreign', {}), finding: { severity: 'Error', path } }],
    SecretUnusable: [{ ...a, prospect: 'waits', objects: token('unusable', {}), finding: { severity: 'Error', path } }],
    TokenConflict: [{ ...a, prospect: 'failed', objects: token('twin', {}), finding: { severity: 'Error', path } }],
  };
}

function cloneStates(
  home: string,
): Readonly<Record<'CloneInProgress' | 'CloneSourceNotReady' | 'CloneFailed', readonly State[]>> {
  const an = { what: 'an environment' } as const;
  const path = ['clone'];
  const ofMoon = anEnvironment(`${home}/of-moon`, { clone: { from: 'moon' } });
  return {
    CloneInProgress: [
      {
        ...an,
        prospect: 'waits',
        objects: [anEnvironment(`${home}/under-way`)],
        finding: { severity: 'Error', path },
      },
    ],
    CloneSourceNotReady: [
      {
        ...an,
        prospect: 'waits',
        objects: [ofMoon, anEnvironment(`${home}/of-of-moon`, { clone: { from: 'of-moon' } })],
      },
    ],
    CloneFailed: [
      {
        ...an,
        prospect: 'failed',
        objects: [anEnvironment(`${home}/gone-wrong`)],
        finding: { severity: 'Error', path },
      },
    ],
  };
}

/** Returns one object of each kind without problems. A decision needs the uid of its request, so it is left out. */
export function soundIn(home: string, name: string): readonly Manifest[] {
  const place = `${home}/${name}`;
  return [
    aFlag(place, { environments: { production: on } }),
    aProject(place),
    anEnvironment(place),
    aUser(place),
    aRole(place),
    aSegment(place),
    aStrategyType(place),
    aToken(place),
    aChangeRequest(place, name, { environments: { production: on } }),
  ];
}
