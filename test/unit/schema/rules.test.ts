/** The rules of the schemas, applied to stored objects. The integration tests apply them in the API server. */
import { describe, expect, test } from 'vitest';
import { apiToken } from '../../../src/schema/api-token.ts';
import { environment } from '../../../src/schema/environment.ts';
import { featureFlag } from '../../../src/schema/feature-flag.ts';
import { flagRole } from '../../../src/schema/flag-role.ts';
import { flagUser } from '../../../src/schema/flag-user.ts';
import { project } from '../../../src/schema/project.ts';
import { segment } from '../../../src/schema/segment.ts';
import { strategyDefinition } from '../../../src/schema/strategy-definition.ts';
import { flagRows } from './flag-rows.ts';
import { freezeRows } from './freeze-rows.ts';
import { permissionRows, roleRows, strategyDefinitionRows, userRows } from './people-rows.ts';
import { environmentRows, namingRows, projectRows } from './project-rows.ts';
import { segmentRows } from './segment-rows.ts';
import { laterRows, patternRows, strategyRows } from './strategy-rows.ts';
import { tokenRows } from './token-rows.ts';

describe.each([
  ['FeatureFlag', featureFlag, [...flagRows, ...strategyRows]],
  ['Project', project, projectRows],
  ['Environment', environment, [...environmentRows, ...freezeRows]],
  ['FlagUser', flagUser, userRows],
  ['FlagRole', flagRole, roleRows],
  ['ApiToken', apiToken, tokenRows],
  ['StrategyDefinition', strategyDefinition, strategyDefinitionRows],
  ['Segment', segment, segmentRows],
] as const)('%s', (_, kind, rows) => {
  test.each(rows.map((row) => [row.refused ? 'refuses' : 'takes', row.title, row] as const))(
    '%s %s',
    (_verb, _title, row) => {
      expect(kind.spec.safeParse(row.spec ?? {}).success).toBe(row.refused === undefined);
    },
  );
});

test.each(namingRows)('a stored project with $title is still read', ({ spec }) => {
  expect(project.spec.safeParse(spec).success).toBe(true);
});

test.each([...laterRows, ...patternRows])('a stored flag with $title is still read', ({ spec }) => {
  expect(featureFlag.spec.safeParse(spec).success).toBe(true);
});

test.each(permissionRows)('a stored role with $title is still read', ({ spec }) => {
  expect(flagRole.spec.safeParse(spec).success).toBe(true);
});
