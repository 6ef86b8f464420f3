/** Values at the limits of what the API server accepts: no part of the program fails for them. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromRow, toRow } from '../../../../src/audit/archive/entry-rows.ts';
import { createDerivation } from '../../../../src/audit/derive/derive.ts';
import { historyShapes } from '../../../../src/audit/derive/shapes.ts';
import { entriesOf } from '../../../../src/audit/derive/steps.ts';
import { entriesOfEvent, eventOf } from '../../../../src/audit/publish/event.ts';
import { fingerprintOf } from '../../../../src/audit/record/fingerprint.ts';
import { readSnapshot, snapshotOf } from '../../../../src/audit/record/snapshot.ts';
import { copyEnvironment, planClone } from '../../../../src/domain/environment/clone-environment.ts';
import { cloneSpec } from '../../../../src/domain/flag/edit/clone-flag.ts';
import { archive } from '../../../../src/domain/flag/edit/edit-flag.ts';
import { disableIn } from '../../../../src/domain/flag/edit/switch.ts';
import { effectOf } from '../../../../src/domain/flag/effect.ts';
import { judgeFlag } from '../../../../src/domain/flag/judge/judge-flag.ts';
import type { NewEntry } from '../../../../src/domain/history/entry.ts';
import { strategyTypesOf } from '../../../../src/domain/strategy-type/strategy-types.ts';
import { auditMappings } from '../../../../src/kinds/registry.ts';
import { EVENT_CONTROLLER } from '../../../../src/kube/api/events.ts';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import { specOperations } from '../../../../src/kube/write/change.ts';
import { fieldsWithOwnersOf } from '../../../../src/kube/write/field-owners.ts';
import { mergeSpec } from '../../../../src/kube/write/merge-spec.ts';
import { ownedFields } from '../../../../src/kube/write/owned-fields.ts';
import { cutDeep, deepFields, isCut, isDeeperThan, MAX_DEPTH } from '../../../../src/model/depth.ts';
import { readYaml, writeYaml } from '../../../../src/model/yaml/yaml.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { presentEvent } from '../../../../src/wire/admin/event/event.ts';
import { stateSections } from '../../../../src/wire/admin/state/state-document.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';
import { environmentObject, projectObject, stored } from '../../domain/objects.ts';

const runs = { seed: 25, numRuns: 150 };

/** The value inside that many levels of maps and lists, which the seed chooses. */
function nestedIn(levels: number, lists: number, value: unknown): unknown {
  let nested = value;
  for (let level = 0; level < levels; level += 1) nested = level % 7 < lists ? [nested] : { a: nested };
  return nested;
}

const odd = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '.',
  '~1/',
  'f:a',
  '\u0000',
  '\ud800',
);
const key = fc.oneof(
  odd,
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.nat(3000).map((length) => 'k'.repeat(length)),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e308, 5e-324, 2 ** 63),
);
const fieldWithOwners = fc.oneof(number, fc.boolean(), fc.constant(null), fc.string({ unit: 'binary' }), odd);
const shallow = fc.oneof(
  fieldWithOwners,
  fc.array(fieldWithOwners, { maxLength: 30 }),
  fc.array(fc.tuple(key, fieldWithOwners), { maxLength: 30 }).map((entries) => Object.fromEntries(entries)),
);
const levels = fc.oneof(fc.nat(10), fc.integer({ min: 50, max: 70 }), fc.constantFrom(500, 3_000, 9_980));
const value = fc.tuple(levels, fc.nat(7), shallow).map(([depth, lists, inner]) => nestedIn(depth, lists, inner));
const parameters = fc.array(fc.tuple(key, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));

const good = { enabled: true, strategies: { fine: { name: 'default' } } };
const flagOf = (given: unknown, version = 1) => {
  const strategies = { ...good.strategies, odd: { name: 'default', parameters: given } };
  const environments = { development: { enabled: true, strategies }, production: good };
  const manifest = {
    apiVersion: 'v',
    kind: 'FeatureFlag',
    metadata: { namespace: 'home', name: 'f' },
    spec: { project: 'shop', environments },
  };
  const raw = stored(manifest, { generation: version, resourceVersion: `${version}` });
  const fields = fieldsOf(environments);
  const managedFields = [{ manager: 'git', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:environments': fields } } }];
  return { ...raw, metadata: { ...raw.metadata, managedFields } };
};

/** The field set as the API server computes it, without recursion. */
function fieldsOf(root: unknown): object {
  const whole: Record<string, object> = {};
  const waiting: [unknown, Record<string, object>][] = [[root, whole]];
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    const [from, to] = one;
    if (typeof from !== 'object' || from === null || Array.isArray(from)) continue;
    for (const [name, member] of Object.entries(from)) {
      const below: Record<string, object> = {};
      to[`f:${name}`] = below;
      waiting.push([member, below]);
    }
  }
  return whole;
}

const environments = ['development', 'production'].map((name) => environmentObject(`home/${name}`));
const project = projectObject('home/shop');
const flagContext = {
  project,
  projectElsewhere: undefined,
  environments,
  everyEnvironment: new Map(environments.map((one) => [one.metadata.name, one])),
  strategyTypes: strategyTypesOf([]),
};
const noUsers = {
  userNamed: () => undefined,
  userBySubject: () => undefined,
  roleNamed: () => undefined,
  rootRoleOf: () => undefined,
  segmentNamed: () => undefined,
  changeRequest: () => undefined,
  targetOf: () => undefined,
};
const { derive, deriveBare } = createDerivation(auditMappings(historyShapes(noUsers)), () => false);
const isDeep = (given: unknown) => isDeeperThan(given, MAX_DEPTH - 5);

function entriesBetween(before: unknown, after: unknown): readonly NewEntry[] {
  const [one, other] = [before, after].map((raw) =>
    readSnapshot(featureFlag, snapshotOf(flagOf(raw, raw === before ? 1 : 2))),
  );
  const step = {
    kind: featureFlag,
    before: one,
    after: other,
    at: 2_000,
    isLate: false,
    since: 1_000,
    until: 2_000,
    previousAt: 1_000,
    seenSince: 1_000,
    unseen: false,
    era: 0,
    isRestored: false,
  };
  return entriesOf(step, { derive, people: noUsers });
}

function holds(check: (given: Readonly<Record<string, unknown>>) => void): void {
  fc.assert(
    fc.property(parameters, (given) => check(given)),
    runs,
  );
}

describe('for any parameters of a strategy', () => {
  test('the flag is parsed, and only a strategy that is too deep is a defect', () => {
    holds((given) => {
      const flag = parseObject(featureFlag, flagOf(given));
      const wrong = flag.defects.filter(
        ({ path }) => path.slice(0, 5).join('.') !== 'environments.development.strategies.odd.parameters',
      );
      expect(wrong).toEqual([]);
      expect(flag.defects.length > 0).toBe(isDeep(given));
      expect(isDeeperThan(flag.rawSpec, MAX_DEPTH)).toBe(false);
      expect(isCut(flag.rawSpec)).toBe(isDeep(given));
      expect(Object.keys(flag.spec.environments?.['development']?.strategies ?? {})).toEqual(
        isDeep(given) ? ['fine'] : ['fine', 'odd'],
      );
    });
  });

  test('it is judged, switched off and archived, and its fields have owners', () => {
    holds((given) => {
      const flag = parseObject(featureFlag, flagOf(given));
      const effect = effectOf(flag, flagContext);
      expect([...effect.enabledIn]).toEqual(isDeep(given) ? ['production'] : ['development', 'production']);
      expect(JSON.stringify(judgeFlag({ flag, flagContext, effect }, 0).status)).not.toBe('');
      for (const next of [archive(flag.spec), disableIn(flag, { environment: 'development', flagContext })]) {
        const merged = mergeSpec({ raw: flag.rawSpec, before: flag.spec, after: next });
        expect(specOperations(flag.rawSpec, merged)).toHaveLength(1);
        expect(ownedFields({ kind: featureFlag, object: flag, after: merged }, () => true).length).toBeLessThan(3);
      }
      expect(fieldsWithOwnersOf(flag, () => true).length).toBeGreaterThan(0);
    });
  });

  test('it is cloned, alone and with its environment, where it can be read', () => {
    holds((given) => {
      const flag = parseObject(featureFlag, flagOf(given));
      expect(isCut(cloneSpec(flag.spec, { from: 'a', to: 'b' }, () => 'new'))).toBe(false);
      const request = { from: 'development', to: 'copy', projects: ['shop'], permissions: false };
      const ground = { source: environments[0], projects: [{ id: 'shop', view: { project, flags: [flag] } }] };
      const { left, unreadable } = planClone(request, ground);
      expect([left.length, unreadable.length]).toEqual(isDeep(given) ? [0, 1] : [1, 0]);
      expect(left.map((one) => Object.keys(copyEnvironment(one, request).environments ?? {}).length)).toEqual(
        left.map(() => 3),
      );
    });
  });

  test('it is exported, as JSON and as YAML, in a document that an import takes', () => {
    holds((given) => {
      const flags = [{ flag: parseObject(featureFlag, flagOf(given)), flagContext }];
      const state = {
        flags,
        projects: [project],
        strategyTypes: [],
        environments,
        segments: [],
        segmentIds: () => undefined,
        withTags: true,
        inline: 'development',
      };
      const items = stateSections(state).flatMap(([, groups]) => [...groups].flat());
      expect(items.filter((item) => isDeeperThan(item, MAX_DEPTH - 2))).toEqual([]);
      for (const item of items) {
        // The API server stores no halves of surrogate pairs, and kubectl reads none.
        const whole = JSON.parse(JSON.stringify(item).replaceAll(/\\ud[89a-f][\da-f]{2}/g, '\\ufffd'));
        expect(readYaml(writeYaml(whole, { maxBlockDepth: 12 }))).toEqual(whole);
      }
      expect(JSON.stringify(items)).toContain('"f"');
    });
  });

  test('its changes are recorded, published, and read again from archive and Events', () => {
    fc.assert(
      fc.property(parameters, parameters, (one, other) => {
        const entries = entriesBetween(one, other);
        const isSame = JSON.stringify(cutDeep(one)) === JSON.stringify(cutDeep(other));
        expect(entries.map(({ type }) => type)).toEqual(isSame ? [] : ['feature-strategy-update']);
        for (const entry of entries) {
          const row = { ...toRow(entry, 0), id: 1 } as Parameters<typeof fromRow>[0];
          const event = eventOf([fromRow(row)], 'replica');
          const { name, annotations } = event;
          const back = entriesOfEvent({ metadata: { name, annotations }, reportingController: EVENT_CONTROLLER });
          expect(back).toMatchObject([{ key: entry.key, type: entry.type, object: 'f' }]);
        }
      }),
      runs,
    );
  });

  test('a frame of it has a fingerprint and an immutable snapshot', () => {
    holds((given) => {
      const snapshot = snapshotOf(flagOf(given));
      expect(fingerprintOf(flagOf(given))).not.toBe('');
      expect(snapshotOf(JSON.parse(snapshot))).toBe(snapshot);
      expect(readSnapshot(featureFlag, snapshot).defects).toEqual([]);
    });
  });
});

describe('a cut value', () => {
  test('has a digest, so that differences below the cut are still found', () => {
    const [one, other] = [1, 2].map((inner) => ({ zz: nestedIn(9_000, 3, inner) }));
    expect(cutDeep(one)).toEqual(cutDeep(one));
    expect(cutDeep(one)).not.toEqual(cutDeep(other));
    expect(entriesBetween(one, other).map(({ type, environment }) => [type, environment])).toEqual([
      ['feature-strategy-update', 'development'],
    ]);
  });

  test.each([
    [63, { a: 1 }, false],
    [64, {}, false],
    [64, 1, false],
    [65, [], true],
    [65, 1, true],
  ])('is cut where %i levels are above a value: %j, %s', (above, inner, isTooDeep) => {
    const within = nestedIn(above, 0, inner);
    expect(isDeeperThan(within, MAX_DEPTH)).toBe(isTooDeep);
    expect(cutDeep(within) === within).toBe(!isTooDeep);
    expect(isDeeperThan(cutDeep(within), MAX_DEPTH)).toBe(false);
  });

  test('is named once, by its field', () => {
    const deep = [nestedIn(70, 0, 1), nestedIn(70, 0, 2)];
    const environment = { strategies: { s: { parameters: { zz: deep, plain: 1 } } } };
    expect(deepFields({ environments: { e: environment }, fine: [[1]] })).toEqual([
      ['environments', 'e', 'strategies', 's', 'parameters', 'zz'],
    ]);
  });

  test('is not written back: a large edit next to it is a patch of its own changes', () => {
    const before = { zz: nestedIn(200, 0, 1), many: {} };
    const after = {
      ...cutDeep(before),
      many: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 1])),
    };
    expect(specOperations(cutDeep(before), after)).toHaveLength(2_000);
    expect(specOperations({ many: {} }, { many: after.many })).toHaveLength(1);
  });
});

test('a long key is at most once in a path: neither in that of an owner nor in that of a patch is it repeated', () => {
  const members = (inner: number) =>
    Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`k${index}`, inner]));
  const flag = parseObject(featureFlag, flagOf({ zz: { ['k'.repeat(300_000)]: members(1) } }));
  const characters = fieldsWithOwnersOf(flag, () => true).reduce((sum, { text }) => sum + text.length, 0);
  expect(characters).toBeLessThan(400_000);
  const after = { zz: { ['k'.repeat(300_000)]: members(2) } };
  expect(specOperations({ zz: { ['k'.repeat(300_000)]: members(1) } }, after)).toEqual([
    { op: 'replace', path: '/spec', value: after },
  ]);
});

test.each([
  ['featureflags', 'feature', { project: 'default', featureName: 'x', environment: null }],
  ['projects', 'project', { project: 'x', featureName: null, environment: null }],
  ['environments', 'environment', { project: null, featureName: null, environment: 'x' }],
  ['strategydefinitions', 'strategy', { project: null, featureName: null, environment: null }],
  ['flagusers', 'user', { project: null, featureName: null, environment: null }],
  ['flagroles', 'role', { project: null, featureName: null, environment: null }],
  ['apitokens', 'api-token', { project: null, featureName: null, environment: null }],
])(
  'an underivable step of %s is recorded with type and place, and is published and shown without content',
  (resource, type, place) => {
    const object = environmentObject('home/x');
    const steps = [{ after: object }, { before: object, after: object }, { before: object }];
    const bare = steps.flatMap((step) => deriveBare({ resource, ...step }));
    expect(bare.map((one) => one.type)).toEqual(['created', 'updated', 'deleted'].map((what) => `${type}-${what}`));
    for (const [index, one] of bare.entries()) {
      expect(one).toMatchObject({ ...place, data: null, preData: null });
      const entry = { ...anEntry(`${index}`), resource, object: 'x', ...one, id: index };
      expect(eventOf([entry], 'replica').note).toContain('x');
      expect(presentEvent(entry, { flag: () => undefined, project: () => undefined }).type).toBe(one.type);
    }
  },
);
