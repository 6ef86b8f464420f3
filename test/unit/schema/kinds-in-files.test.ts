/** Files that are written by hand name each kind that they must name. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { claimedKinds } from '../../../src/domain/name-claims/name-claims.ts';
import { decidingPlurals, type KindName, kinds, kindsByName } from '../../../src/schema/kinds.ts';
import type { Stored } from '../../support/stored.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const objectsIn = (path: string): Stored[] => parseAllDocuments(read(path)).map((document) => document.toJS());
const rulesIn = (path: string, role: string): Rule[] =>
  objectsIn(path).find(({ metadata, rules }) => metadata.name === role && rules)?.rules ?? [];

/** A decision on each kind: a new one must be decided on. */
type Decisions = Readonly<Record<KindName, boolean>>;

function chosen(decisions: Decisions) {
  return (Object.keys(decisions) as KindName[]).filter((name) => decisions[name]).map((name) => kindsByName[name]);
}

const sorted = (names: readonly string[]): readonly string[] => names.toSorted();
const pluralsOf = (some: readonly { readonly plural: string }[]) => sorted(some.map(({ plural }) => plural));
/** As documents write the kinds. */
const titlesOf = (some: readonly { readonly kind: string }[]) => sorted(some.map(({ kind }) => `${kind}s`));
const watched = kinds.filter(({ namespaces }) => namespaces === 'watched');

/** Whether objects of the kind have a field, by its path in their schema. */
function hasField({ plural }: { readonly plural: string }, part: 'spec' | 'status', field: string): boolean {
  const { spec }: Stored = objectsIn(`crds/${plural}.yaml`)[0];
  return field in spec.versions[0].schema.openAPIV3Schema.properties[part].properties;
}

describe('admission policies', () => {
  const resourcesOf = (path: string) => {
    const { spec }: Stored = objectsIn(`config/admission/${path}`)[0];
    return sorted(spec.matchConstraints.resourceRules.flatMap(({ resources }: Stored) => resources));
  };

  /** The kinds whose status other policies rely on. */
  const reliedOn: Decisions = {
    flags: true,
    projects: true,
    segments: true,
    environments: true,
    changeRequests: true,
    changeApprovals: true,
    users: false,
    roles: false,
    tokens: false,
    strategyTypes: false,
    sinks: false,
  };

  test('only Vexil writes the statuses that other policies rely on, grants among them', () => {
    const guarded = pluralsOf(chosen(reliedOn));
    expect(resourcesOf('statuses.yaml')).toEqual(guarded.map((plural) => `${plural}/status`));
    const granted = kinds.filter((kind) => hasField(kind, 'status', 'grants'));
    expect(granted.length).toBeGreaterThan(3);
    expect(guarded).toEqual(expect.arrayContaining([...pluralsOf(granted)]));
  });

  test.each(['environment-changes.yaml', 'opt-in/environment-permission.yaml'])(
    '%s is about each kind that decides about flags',
    (path) => {
      expect(resourcesOf(path)).toEqual(sorted(decidingPlurals));
    },
  );
});

test('change requests need the permission to patch the resource of their target', () => {
  const policy: Stored = objectsIn('config/admission/change-requests.yaml')[0];
  const { expression } = policy.spec.variables.find(({ name }: Stored) => name === 'resource');
  const crd: Stored = objectsIn('crds/changerequests.yaml')[0];
  const { target } = crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties;
  const resourceOf = (title: string) => kinds.find(({ kind }) => kind === title)?.plural ?? 'no kind';
  // One kind has no comparison, because it is what remains.
  const compared = [...expression.matchAll(/kind == '(\w+)' \? '(\w+)'/g)].map(([, kind, plural]) => [kind, plural]);
  const [rest] = /'\w+'$/.exec(expression) ?? [];
  const remaining = target.properties.kind.enum.filter((kind: string) => !compared.some(([one]) => one === kind));
  expect(compared).toEqual(compared.map(([kind]) => [kind, resourceOf(kind)]));
  expect([rest]).toEqual(remaining.map((kind: string) => `'${resourceOf(kind)}'`));
});

test('names are claimed for each kind that may be in several namespaces and has names in the API', () => {
  expect(sorted(claimedKinds)).toEqual(pluralsOf(watched.filter((kind) => hasField(kind, 'spec', 'name'))));
});

/** What the rules permit on the resource of a kind, or on a part of it. */
function verbsOn(rules: readonly Rule[], resource: string): readonly string[] {
  const about = rules.filter((rule) => rule.apiGroups.includes('vexil.dev') && rule.resources.includes(resource));
  return about.flatMap(({ verbs }) => verbs);
}

describe('the operator', () => {
  const inWatched = rulesIn('config/rbac/watched.yaml', 'vexil-flags');
  const atHome = rulesIn('config/rbac/home.yaml', 'vexil');

  test('has the same permissions in all namespaces as in watched ones', () => {
    expect(rulesIn('config/rbac/everywhere.yaml', 'vexil-flags')).toEqual(inWatched);
  });

  test.each(kinds.map((kind) => [kind.kind, kind] as const))('watches each %s, and writes its status', (_, kind) => {
    const rules = kind.namespaces === 'watched' ? inWatched : atHome;
    expect(verbsOn(rules, kind.plural)).toEqual(expect.arrayContaining(['list', 'watch']));
    expect(verbsOn(rules, `${kind.plural}/status`)).toEqual(['patch']);
  });
});

describe('people', () => {
  const roleNames = ['vexil-view', 'vexil-edit', 'vexil-admin'];
  const rulesOf = new Map(roleNames.map((name) => [name, rulesIn('config/rbac/people.yaml', name)]));

  /** The others have e-mail addresses, digests of secrets, or URLs with secrets. */
  const seenByAll: Decisions = {
    flags: true,
    projects: true,
    environments: true,
    roles: true,
    strategyTypes: true,
    segments: true,
    changeRequests: true,
    changeApprovals: true,
    users: false,
    tokens: false,
    sinks: false,
  };

  test('see each kind without secrets as vexil-view, and write all as vexil-admin', () => {
    const may = (role: string, verb: string) =>
      kinds.filter(({ plural }) => verbsOn(rulesOf.get(role) ?? [], plural).includes(verb));
    expect(pluralsOf(may('vexil-view', 'get'))).toEqual(pluralsOf(chosen(seenByAll)));
    expect(pluralsOf(may('vexil-admin', 'create'))).toEqual(pluralsOf(kinds));
  });

  test('find in docs/security.md what the roles permit on each kind', () => {
    const [, table = ''] = /\n\| \| `vexil-view` \|.*?\n(.*?)\n\n/s.exec(read('docs/security.md')) ?? [];
    const said = table.split('\n').flatMap((line) => {
      const [, first = '', ...cells] = line.split('|').map((cell) => cell.trim());
      return [...first.matchAll(/[A-Z]\w+/g)].map(([word]) => [word, cells.slice(0, roleNames.length)] as const);
    });
    for (const { kind, plural } of kinds) {
      const permitted = roleNames.map((role) => {
        const verbs = verbsOn(rulesOf.get(role) ?? [], plural);
        return verbs.includes('create') ? 'write' : verbs.includes('get') ? 'read' : '';
      });
      expect(new Map(said).get(kind), kind).toEqual(permitted);
    }
  });
});

test('docs/security.md names the kinds that have an effect in several namespaces', () => {
  const [, list = ''] = /In other namespaces only ([\s\w,]+) have\s+an\s+effect/.exec(read('docs/security.md')) ?? [];
  expect(sorted(list.match(/[A-Z]\w+/g) ?? [])).toEqual(titlesOf(watched));
});

describe('docs/operations.md', () => {
  const text = read('docs/operations.md');
  const restored: Decisions = {
    flags: true,
    projects: true,
    environments: true,
    users: true,
    roles: true,
    tokens: true,
    strategyTypes: true,
    segments: true,
    sinks: true,
    // Each names the uid of an object, and a restored object has a new one.
    changeRequests: false,
    changeApprovals: false,
  };

  test('says how to back up each kind', () => {
    const [row = '', list = '', command = ''] = /^\| (FeatureFlags.*?) \|.*`kubectl get (\S+) -A/m.exec(text) ?? [];
    expect(row).not.toBe('');
    expect(sorted(list.split(', '))).toEqual(titlesOf(chosen(restored)));
    const shortNames = chosen(restored).map((one) => one.shortNames[0] ?? '');
    expect(sorted(command.split(','))).toEqual(sorted(shortNames));
    const [, others = ''] = /^\| (Change.*?) \|/m.exec(text) ?? [];
    expect(sorted([...list.split(', '), ...others.split(', ')])).toEqual(titlesOf(kinds));
  });

  test('says in which order to restore them', () => {
    const [, list = ''] = /Apply the resources: ([\s\w,]+)\./.exec(text) ?? [];
    expect(sorted(list.split(/,\s+/))).toEqual(titlesOf(chosen(restored)));
  });
});

/** The others name an object by its uid, or a receiver outside of the cluster. */
const sampled: Decisions = {
  flags: true,
  projects: true,
  environments: true,
  users: true,
  roles: true,
  tokens: true,
  strategyTypes: true,
  segments: true,
  changeRequests: false,
  changeApprovals: false,
  sinks: false,
};

test('config/samples has an object of each kind that users start with', () => {
  const files = globSync('config/samples/*.yaml', { cwd: root });
  const found = new Set(files.flatMap(objectsIn).map((object) => object?.kind));
  expect(sorted([...found].map((kind) => `${kind}s`))).toEqual(titlesOf(chosen(sampled)));
});
