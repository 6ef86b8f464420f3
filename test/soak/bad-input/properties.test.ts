/** Every property of every body, with values that are wrong or odd. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRefusal } from '../../../src/errors.ts';
import { checked } from '../../../src/wire/check-values.ts';
import { parse } from '../../../src/wire/parse-input.ts';
import { startTable, type Table } from '../../contract/bad-input/cells.ts';
import { type Endpoint, endpoints } from '../../contract/endpoints/endpoints.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

let instance: Instance;
let table: Table;

beforeAll(async () => {
  instance = await startInstance('bad-values');
  table = await startTable(instance);
});
afterAll(async () => {
  table.end();
  await instance.stop();
});

const INVALID = '400 ValidationError';

/** The body of a patch has no properties: see `patches.test.ts`. */
const isPatch = ({ method }: Endpoint) => method === 'PATCH';
const forcing = endpoints.filter((endpoint) => endpoint.body !== undefined && !isPatch(endpoint));

test('the table has values for the properties of every endpoint with a body, and of no other', () => {
  const says = endpoints.filter(({ properties }) => properties !== undefined);
  expect(says.map(({ route }) => route)).toEqual(forcing.map(({ route }) => route));
});

test.each(forcing)('$route, with each value of each property', (endpoint) =>
  table.expectAnswers(
    Object.entries(endpoint.properties ?? {}).flatMap(([property, rows]) => {
      const cells = rows.map(([what, json, want]) => ({
        what: `${property} ${what}`,
        endpoint,
        want,
        spoilt: { body: bodyWith(endpoint.body, property, json) },
      }));
      const refused = cells.filter(({ want, spoilt }) => want === INVALID && isRefusedBySchema(endpoint, spoilt.body));
      return cells.filter((cell) => cell === refused[0] || !refused.includes(cell));
    }),
  ),
);

/**
 * Whether the schema refuses the body, as serve-route.ts does before the code of the endpoint runs. All such answers
 * are made in the same way, so one for each property is requested over HTTP.
 */
function isRefusedBySchema({ definition }: Endpoint, body: string): boolean {
  if (!definition.body || definition.acceptsUpload) return false;
  try {
    parse(definition.body, checked(JSON.parse(body)), 'body');
    return false;
  } catch (error) {
    return isRefusal(error, 'invalid');
  }
}

const HERE = '@here@';

/** The good body as text, with the JSON in that place. */
function bodyWith(good: unknown, property: string, json: string | undefined): string {
  const body = structuredClone(good);
  const keys = property.split('/');
  const last = keys.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: the table says what is where
  const part = keys.reduce<any>((at, key) => at[key], body);
  part[last] = json === undefined ? undefined : HERE;
  return JSON.stringify(body).replace(`"${HERE}"`, () => json ?? '');
}
