/** Turns what a running Unleash says into manifests that `vexil lint` accepts. */
import { matchesNaming } from '../../../src/domain/identity/naming-pattern.ts';
import type { ContextField } from '../../../src/model/context-field.ts';
import { TOKEN_LABEL } from '../../../src/schema/api-token.ts';
import type { ProjectSpec } from '../../../src/schema/project.ts';
import { plural } from '../../plural.ts';
import { finishImport, type ImportedFiles } from '../import-file.ts';
import type { ImportedObject } from '../imported.ts';
import type { ImportTarget } from '../settle.ts';
import { readUnleash } from '../unleash/read-unleash.ts';
import type { Unmapped } from '../unmapped.ts';
import type { ReadFlag } from './journal.ts';
import { peopleOfServer } from './people-of-server.ts';
import type { ReadProject, ReadServer } from './read-server.ts';
import { stateOfServer } from './state-of-server.ts';
import { type TokenSecret, tokensOfServer } from './tokens-of-server.ts';

export interface ServerImport extends ImportedFiles {
  readonly secrets: readonly TokenSecret[];
  /** What people should know; nothing is lost by it. */
  readonly notes: readonly string[];
  /** The context fields of its people, as VEXIL_CONTEXT_FIELDS has them. */
  readonly contextFields: readonly ContextField[];
  /** When SDKs last asked for a flag, by flag and environment; flags that none asked for are left out. */
  readonly lastSeen: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export async function importServer(server: ReadServer, target: ImportTarget): Promise<ServerImport> {
  const { operatorNamespace: namespace, now } = target;
  const flags = await readUnleash(stateOfServer(server), { environment: 'default', project: undefined });
  const people = peopleOfServer(server);
  const tokens = tokensOfServer(server.tokens ?? [], { namespace, now });
  const naming = new Map(server.projects.map((project) => [project.id, namingOf(project)]));
  const objects = flags.objects.map((object) =>
    object.kind === 'projects'
      ? withProjectParts(object, naming.get(object.name)?.flagNaming, people.members.get(object.name))
      : object,
  );
  const unmapped = [
    ...flags.unmapped,
    ...server.flags.flatMap(releasePlansOf),
    ...[...naming.values()].flatMap((one) => one.unmapped),
    ...people.unmapped,
    ...tokens.unmapped,
  ];
  const finished = await finishImport(
    { objects: [...objects, ...people.objects, ...tokens.objects], unmapped },
    target,
  );
  /** The names of objects; those of ApiTokens are also labels of Secrets. */
  const written = new Set<unknown>(finished.files.map(({ path }) => path.replace(/^.*\/|\.yaml$/g, '')));
  return {
    ...finished,
    secrets: tokens.secrets.filter(({ metadata: { labels } }) => written.has(labels[TOKEN_LABEL])),
    notes: notesOf(server),
    contextFields: ownFields(server).map(contextFieldOf),
    lastSeen: lastSeenOf(server),
  };
}

function releasePlansOf({ flag }: ReadFlag): readonly Unmapped[] {
  return flag.environments.flatMap(({ name, releasePlans }) =>
    (releasePlans ?? []).map((value) => ({ path: `flag ${flag.name} in ${name}: releasePlans`, value, advice: PLANS })),
  );
}

const PLANS =
  'Vexil has no release plans. The strategies of a milestone may be missing: compare the flag with Unleash, and plan with windows and ramps.';

type Naming = ProjectSpec['flagNaming'];

function withProjectParts(object: ImportedObject, flagNaming: Naming, members: ProjectSpec['members']): ImportedObject {
  const spec = { ...object.spec, ...(flagNaming && { flagNaming }), ...(members && { members }) };
  return { ...object, kind: 'projects', spec };
}

interface ReadNaming {
  readonly flagNaming: Naming;
  readonly unmapped: readonly Unmapped[];
}

function namingOf({ id, featureNaming }: ReadProject): ReadNaming {
  const { pattern, example, description } = featureNaming ?? {};
  if (!pattern) return { flagNaming: undefined, unmapped: [] };
  if (matchesNaming(pattern, '') === undefined) {
    const advice = 'RE2 does not accept the pattern. It is left out: write spec.flagNaming of the Project by hand.';
    return { flagNaming: undefined, unmapped: [{ path: `projects/${id}: featureNaming`, value: pattern, advice }] };
  }
  const fits = example && matchesNaming(pattern, example) === true;
  return { flagNaming: { pattern, ...(fits && { example }), ...(description && { description }) }, unmapped: [] };
}

const BUILT_IN_FIELDS: readonly string[] = ['appName', 'currentTime', 'environment', 'sessionId', 'userId'];

type Field = ReadServer['contextFields'][number];

/** A built-in field counts if it has legal values. */
function ownFields({ contextFields }: ReadServer): readonly Field[] {
  return contextFields.filter(({ name, legalValues }) => !BUILT_IN_FIELDS.includes(name) || legalValues?.length);
}

function contextFieldOf({ name, description, stickiness, legalValues }: Field): ContextField {
  const legal = (legalValues ?? []).map(({ value, description: of }) => ({ value, ...(of && { description: of }) }));
  return {
    name,
    ...(description && { description }),
    ...(stickiness && { stickiness }),
    ...(legal.length > 0 && { legalValues: legal }),
  };
}

function notesOf(server: ReadServer): readonly string[] {
  const { archived, people, tokens, projects, version } = server;
  const fields = ownFields(server).map(({ name }) => name);
  const users = people?.users.length ?? 0;
  const admins = (tokens ?? []).filter(({ type }) => type === 'admin').length;
  return [
    ...(archived.length > 0
      ? [`${plural(archived.length, 'archived flag')} without a configuration, which Unleash does not say`]
      : []),
    ...(fields.length > 0
      ? [
          `constraints may name any context field. For legal values and lists in the console, set VEXIL_CONTEXT_FIELDS to contextFields of --output json: ${fields.join(', ')}`,
        ]
      : []),
    ...(users > 0
      ? [`${plural(users, 'FlagUser')} without subjects: name their Kubernetes users, so that changes have authors`]
      : []),
    ...(admins > 0
      ? [`${plural(admins, 'admin token')}, which may do everything here, too: delete those that nobody needs`]
      : []),
    ...(isOfFormerHash(version) ? [FORMER_HASH] : []),
    ...(tokens === undefined ? ['this edition does not list its API tokens'] : []),
    ...(projects.every(({ access }) => access === undefined)
      ? ['this edition does not say the members of projects']
      : []),
  ];
}

/** The last version that was seen to do so is 4.19, and the first one that does not is 5.12. */
function isOfFormerHash(version: string | undefined): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < 5 || (major === 5 && minor < 12);
}

const FORMER_HASH =
  'the frontend API of this version may choose variants by a former hash: users of browsers may get another variant of a flag, users of SDKs on servers get the same';

function lastSeenOf({ flags }: ReadServer): ServerImport['lastSeen'] {
  const seen = flags.map(({ flag }) => {
    const places = flag.environments.flatMap(({ name, lastSeenAt }) =>
      lastSeenAt ? [[name, lastSeenAt] as const] : [],
    );
    return [flag.name, Object.fromEntries(places)] as const;
  });
  return Object.fromEntries(seen.filter(([, places]) => Object.keys(places).length > 0));
}
