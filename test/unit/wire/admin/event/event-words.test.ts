/** The text of an event for users. */
import { describe, expect, test } from 'vitest';
import type { NewEntry } from '../../../../../src/domain/history/entry.ts';
import { auditEventTypes } from '../../../../../src/domain/history/event-types.ts';
import type { JsonObject } from '../../../../../src/model/json.ts';
import type { Links } from '../../../../../src/wire/admin/event/event-words.ts';
import { wordsOf } from '../../../../../src/wire/admin/event/event-words.ts';
import { anEntry } from '../../../../support/archive/an-entry.ts';

const everywhere: Links = { flag: (name, project) => `/p/${project}/f/${name}`, project: (id) => `/p/${id}` };
const nowhere: Links = { flag: () => undefined, project: () => undefined };

const baseEntry = {
  data: null,
  type: 'feature-created',
  featureName: 'f',
  createdBy: 'ada',
  environment: 'production',
} as const;
const recorded = (said: Partial<NewEntry>, links = everywhere) =>
  wordsOf({ ...anEntry('k', { ...baseEntry, ...said }), id: 1 }, links);
const summary = (said: Partial<NewEntry>, links?: Links) => recorded(said, links).summary;

const F = '**[f](/p/shop/f/f)**';
const P = '**[shop](/p/shop)**';
const E = '**production**';
const strategy = { name: 'flexibleRollout', title: null };

describe('label and summary', () => {
  const rows: readonly (readonly [Partial<NewEntry> & Pick<NewEntry, 'type'>, string, string])[] = [
    [{ type: 'feature-created' }, 'Flag created', `created ${F} in project ${P}`],
    [{ type: 'feature-metadata-updated' }, 'Flag metadata updated', `updated ${F} metadata in project ${P}`],
    [{ type: 'feature-archived' }, 'Flag archived', `archived ${F} in project ${P}`],
    [{ type: 'feature-revived' }, 'Flag revived', `revived ${F} in project ${P}`],
    [{ type: 'feature-deleted' }, 'Flag deleted', `deleted ${F} in project ${P}`],
    [{ type: 'feature-stale-on' }, 'Flag marked as stale', `marked ${F} as stale in project ${P}`],
    [{ type: 'feature-stale-off' }, 'Flag stale marking removed', `removed the stale marking on ${F} in project ${P}`],
    [{ type: 'feature-environment-enabled' }, 'Flag enabled', `enabled ${F} for the ${E} environment in project ${P}`],
    [
      { type: 'feature-environment-disabled' },
      'Flag disabled',
      `disabled ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-window-updated' },
      'Flag window updated',
      `changed the window of ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-window-opened' },
      'Flag window opened',
      `opened the window of ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-window-closed' },
      'Flag window closed',
      `closed the window of ${F} for the ${E} environment in project ${P}`,
    ],
    [{ type: 'feature-ramp-step' }, 'Flag ramp step', `moved a ramp of ${F} for the ${E} environment in project ${P}`],
    [
      { type: 'feature-freeze-bypassed', data: { name: 'year-end', reason: '' } },
      'Freeze bypassed',
      `bypassed a freeze with a change of ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-alert-action', data: { alert: 'Errors', action: 'off' } },
      'Flag changed by an alert',
      `let alert **Errors** act on ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-strategy-add', data: strategy },
      'Flag strategy added',
      `added strategy **flexibleRollout** to ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-strategy-remove', preData: { ...strategy, title: 'Staff first' } },
      'Flag strategy removed',
      `removed strategy **Staff first** from ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-strategy-update', preData: strategy, data: strategy },
      'Flag strategy updated',
      `updated ${F} in project ${P} by updating strategy **flexibleRollout** in ${E}`,
    ],
    [
      { type: 'feature-environment-variants-updated' },
      'Flag variants updated',
      `updated variants for ${F} for the ${E} environment in project ${P}`,
    ],
    [
      { type: 'feature-tagged', subject: 'simple:checkout' },
      'Flag tagged',
      `tagged ${F} with **simple:checkout** in project ${P}`,
    ],
    [
      { type: 'feature-untagged', subject: 'simple:checkout' },
      'Flag untagged',
      `untagged ${F} with **simple:checkout** in project ${P}`,
    ],
    [
      { type: 'feature-dependency-added', subject: 'pay' },
      'Flag dependency added',
      `made ${F} depend on **pay** in project ${P}`,
    ],
    [
      { type: 'feature-dependency-removed', subject: 'pay' },
      'Flag dependency removed',
      `made ${F} independent of **pay** in project ${P}`,
    ],
    [{ type: 'project-created', featureName: null }, 'Project created', `created project ${P}`],
    [{ type: 'project-deleted', featureName: null }, 'Project deleted', `deleted project ${P}`],
  ];

  test.each(rows.map(([said, label, says]) => ({ type: said.type, said, label, says })))(
    '$type: $label',
    ({ said, label, says }) => {
      expect(recorded(said)).toEqual({ label, summary: `**ada** ${says}` });
    },
  );

  const named = rows.map(([{ type }]) => type);
  test.each(auditEventTypes.filter((type) => !named.includes(type)))('%s has its type for a label', (type) => {
    expect(recorded({ type })).toEqual({ label: type, summary: `**ada** triggered **${type}**` });
  });
});

describe('deleted objects', () => {
  test.each<[string, Partial<Links>, string]>([
    ['a flag', { flag: () => undefined }, `created **f** in project ${P}`],
    ['a project', { project: () => undefined }, `created ${F} in project **shop**`],
    ['both', nowhere, 'created **f** in project **shop**'],
  ])('%s is bold without a link', (_, gone, says) => {
    expect(summary({}, { ...everywhere, ...gone })).toBe(`**ada** ${says}`);
  });

  test('a flag without project and environment names its namespace, as it had no effect', () => {
    expect(summary({ type: 'feature-environment-enabled', project: null, environment: null })).toBe(
      '**ada** enabled **f** in namespace **team-a**, without effect',
    );
  });
});

describe('names in Markdown', () => {
  test.each([
    ['stars', '**bold**', '\\*\\*bold\\*\\*'],
    ['a link', '[a](javascript:x)', '\\[a\\](javascript:x)'],
    ['the end of a link', 'x](http://evil.example)', 'x\\](http\\://evil.example)'],
    ['an address', 'see https://evil.example or WWW.evil.example', 'see https\\://evil.example or WWW\\.evil.example'],
    ['a tag', '<img src=x onerror=y>&amp;', '\\<img src=x onerror=y\\>\\&amp;'],
    ['code', 'a`b``c', 'a\\`b\\`\\`c'],
    ['a backslash at its end', 'a\\', 'a\\\\'],
    ['strikethrough and a table', '~~a~~|b_c_', '\\~\\~a\\~\\~\\|b\\_c\\_'],
    ['line breaks and blanks around', ' a\r\n\n# b\t\u2028c ', 'a # b c'],
    ['a turn of direction', 'a\u202eb', 'a b'],
    ['other scripts', 'Für Köln 日本 🚩', 'Für Köln 日本 🚩'],
    ['a usual name', 'one-page.checkout+1@example.com', 'one-page.checkout+1@example.com'],
  ])('%s', (_, name, shown) => {
    expect(summary({ createdBy: name }, nowhere)).toBe(`**${shown}** created **f** in project **shop**`);
    const tagged = { type: 'feature-tagged', subject: `simple:${name.trim()}` } as const;
    expect(summary(tagged, nowhere)).toBe(`**ada** tagged **f** with **simple:${shown}** in project **shop**`);
  });

  test('an empty name is a question mark, a long one is cut between two characters', () => {
    expect(summary({ createdBy: '\n' })).toMatch(/^\*\*\?\*\* created/);
    expect(summary({ createdBy: `${'x'.repeat(199)}🚩🚩` })).toMatch(/^\*\*x{199}…\*\* created/);
  });
});

describe('the change of a strategy', () => {
  const parameters = { stickiness: 'default', rollout: 10, groupId: 'f' };
  const constraint = { contextName: 'region', operator: 'IN', values: ['eu', 'us'] };
  const before: JsonObject = { ...strategy, parameters, constraints: [] };
  const changed = (after: JsonObject) =>
    summary({ type: 'feature-strategy-update', preData: before, data: { ...before, ...after } }).split(`in ${E}`)[1];

  test.each<[string, JsonObject, string]>([
    ['nothing that is compared', { disabled: true }, ''],
    [
      'stickiness',
      { parameters: { ...parameters, stickiness: 'userId' } },
      ' stickiness from **default** to **userId**',
    ],
    ['rollout', { parameters: { ...parameters, rollout: 50 } }, ' rollout from **10%** to **50%**'],
    ['rollout from a number to the same as text', { parameters: { ...parameters, rollout: '10' } }, ''],
    ['groupId', { parameters: { ...parameters, groupId: 'g*' } }, ' groupId from **f** to **g\\***'],
    [
      'several',
      { parameters: { rollout: 0 } },
      ' stickiness from **default** to **none**; rollout from **10%** to **0%**; groupId from **f** to **none**',
    ],
    ['all parameters', { parameters: {} }, expect.stringContaining('rollout from **10%** to **none**')],
    ['a constraint', { constraints: [constraint] }, ' constraints from **none** to **region IN (eu, us)**'],
    [
      'two constraints with everything in them',
      {
        constraints: [
          { ...constraint, inverted: true, caseInsensitive: true },
          { contextName: 'age', operator: 'NUM_GT', values: [], value: '5' },
        ],
      },
      ' constraints from **none** to **not region IN (eu, us) in any case and age NUM\\_GT 5**',
    ],
    ['segments', { segments: [3, 4] }, ' segments from **none** to **3, 4**'],
    [
      'what is of another shape than ever',
      { parameters: 'x', constraints: [null, 1], segments: {} },
      expect.any(String),
    ],
  ])('%s', (_, after, says) => {
    expect(changed(after)).toEqual(says);
  });

  test('of great length is cut', () => {
    const constraints = Array.from({ length: 30 }, () => ({ ...constraint, values: Array(200).fill('x'.repeat(50)) }));
    expect(changed({ constraints })?.length).toBeLessThan(300);
  });
});
