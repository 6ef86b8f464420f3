/** The command line and the API server refuse the same specs: test/integration/crd-rules.test.ts sends the same rows to a real one. */
import { describe, expect, test } from 'vitest';
import { objectChecker } from '../../../cli/lint/check-object.ts';
import { keysOfPath } from '../../../cli/manifests/field-path.ts';
import { registry } from '../../../src/kinds/registry.ts';
import { API_VERSION } from '../../../src/model/kind.ts';
import { flagRows } from '../schema/flag-rows.ts';
import { permissionRows, roleRows, strategyDefinitionRows, userRows } from '../schema/people-rows.ts';
import { environmentRows, namingRows, projectRows } from '../schema/project-rows.ts';
import { segmentRows } from '../schema/segment-rows.ts';
import { laterRows, patternRows, strategyRows } from '../schema/strategy-rows.ts';
import { tokenRows } from '../schema/token-rows.ts';

const check = objectChecker();

describe.each([
  ['flags', [...flagRows, ...strategyRows, ...laterRows, ...patternRows]],
  ['projects', [...projectRows, ...namingRows]],
  ['environments', environmentRows],
  ['users', userRows],
  ['roles', [...roleRows, ...permissionRows]],
  ['tokens', tokenRows],
  ['strategies', strategyDefinitionRows],
  ['segments', segmentRows],
] as const)('%s', (name, rows) => {
  test.each(rows.map((row) => [row.refused ? 'refuses' : 'takes', row.title, row] as const))(
    '%s %s',
    (_verb, _title, { spec, refused }) => {
      const object = { apiVersion: API_VERSION, kind: registry[name].kind.kind, metadata: { name: 'x' }, spec };
      const found = check(name, JSON.parse(JSON.stringify(object))).map(({ path }) => path);
      if (refused === undefined) expect(found).toEqual([]);
      else expect(found).toContainEqual(keysOfPath(refused.field));
    },
  );
});
