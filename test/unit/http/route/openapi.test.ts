/** The OpenAPI document is complete and exact, and a linter has no complaints. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiPage } from '../../../../scripts/api-page.ts';
import { exampleOf } from '../../../../scripts/example.ts';
import { signedIn } from '../../../../src/access/authorization/requirements.ts';
import type { ErrorCode } from '../../../../src/errors.ts';
import { describeApi } from '../../../../src/http/route/openapi/describe-api.ts';
import { operationIdOf } from '../../../../src/http/route/openapi/operation-id.ts';
import { shapesOf } from '../../../../src/http/route/openapi/shapes.ts';
import { type Route, route } from '../../../../src/http/route/route.ts';
import { routes, sections } from '../../../../src/http/routes/all.ts';
import { wireErrors } from '../../../../src/http/server/answer/errors.ts';
import { wireName } from '../../../../src/schema/fields/shapes.ts';
import { booleanParam, repeated } from '../../../../src/wire/admin/query.ts';
import { validators } from '../../../support/api-promise.ts';

const document = describeApi(sections, '1.2.3');
const { schemas } = document.components;
const validatorFor = validators(document.components);
// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
type Anything = any;

const templateOf = ({ path }: Route) => `/api/admin${path.replace(/:(\w+)/g, '{$1}')}`;
const operationOf = (one: Route): Anything => (document.paths as Anything)[templateOf(one)][one.method];
const named = routes.map((one) => [`${one.method.toUpperCase()} ${one.path}`, one] as const);

async function lint(source: object): Promise<string[]> {
  // That rule also compares paths with different methods; another test checks the paths that can really be confused.
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
  const problems = await lintFromString({ source: JSON.stringify(source), absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''}: ${message}`);
}

describe('the recommended rules of a linter', () => {
  test('have no complaint, not even a warning', async () => {
    expect(await lint(document)).toEqual([]);
  });

  test('the linter complains about', async () => {
    const [one, other] = routes.slice(0, 2) as [Route, Route];
    const broken = structuredClone(document) as Anything;
    broken.paths[templateOf(one)].get.operationId = operationOf(other).operationId;
    broken.components.schemas.Feature.properties.stale.type = 'flag';
    delete broken.components.securitySchemes.token;
    const complaints = (await lint(broken)).join('\n');
    for (const rule of ['operation-operationId-unique', 'struct', 'security-defined'])
      expect(complaints).toContain(rule);
  });
});

describe.each(named)('%s', (_, one) => {
  const operation = operationOf(one);
  const parameters = operation.parameters.map((parameter: Anything) =>
    parameter.$ref ? (document.components.parameters as Anything)[parameter.$ref.split('/').at(-1)] : parameter,
  );
  const body = operation.requestBody?.content['application/json'].schema;

  test('has a description, its callers, and its section', () => {
    expect(operation.summary).toMatch(/\.$/);
    const { permission, orAny = [] } = one.requires;
    const wanted = permission === 'NONE' ? [[]] : [permission, ...orAny].map((each) => [each]);
    expect(operation.security).toEqual(wanted.map((token) => ({ token })));
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
  });

  test('has its success and its refusals, each with its name', () => {
    const answered = JSON.stringify(
      Object.values(operation.responses).map(
        (answer: Anything) => (document.components.responses as Anything)[answer.$ref?.split('/').at(-1)],
      ),
    );
    for (const code of [
      ...one.errors,
      'unauthenticated',
      'forbidden',
      'rate-limited',
      'internal',
      'unavailable',
    ] as const) {
      expect(operation.responses).toHaveProperty(`${wireErrors[code].status}`);
      expect(answered).toContain(`#/components/schemas/${wireErrors[code].name}"`);
    }
    const content = operation.responses[one.answer].content;
    expect(content === undefined).toBe(one.response === undefined);
  });

  test('each parameter has a type and fits its example', () => {
    for (const { name, schema } of parameters) {
      expect([name, schema.type]).toEqual([name, expect.any(String)]);
      for (const example of schema.examples ?? []) expect(validatorFor(schema)(example)).toBe(true);
    }
  });

  if (one.body)
    test('the example of its body is accepted, by the document and by the server', () => {
      const example = exampleOf(body, schemas);
      const isValid = validatorFor(body);
      expect([isValid(example), isValid.errors]).toEqual([true, null]);
      expect(one.body?.safeParse(example).error?.issues ?? []).toEqual([]);
    });

  if (one.body)
    test('the document refuses no body that the server accepts, and accepts none that its schema refuses', () => {
      const isValid = validatorFor(body);
      for (const value of variationsOf(exampleOf(body, schemas))) {
        const { error } = one.body?.safeParse(value) ?? {};
        // The description contains the rules that JSON Schema cannot express.
        const isUnsaid = error?.issues.every(({ code }) => code === 'custom');
        if (!isUnsaid) expect([isValid(value), value]).toEqual([error === undefined, value]);
        else expect(JSON.stringify(body) + JSON.stringify(schemas)).toContain(error?.issues[0]?.message);
      }
    });

  if (one.response)
    test('the example of its answer fits', () => {
      const [{ schema }] = Object.values(operation.responses[one.answer].content) as [Anything];
      const example = exampleOf(schema, schemas);
      const isValid = validatorFor(schema);
      expect([isValid(example), isValid.errors]).toEqual([true, null]);
      expect(one.response?.safeParse(example).error?.issues ?? []).toEqual([]);
    });
});

/** Returns the value with each of its parts missing, of another type, at its limits; and with an additional part. */
function variationsOf(value: unknown): unknown[] {
  const others = [null, true, -1, 0, 1.5, 1e16, '', '.', '..', 'a b', 'x'.repeat(5000), '/a~2', '12.5', [], {}, ['x']];
  if (typeof value !== 'object' || value === null) return others;
  const parts = Object.entries(value).flatMap(([key, part]) =>
    [undefined, ...variationsOf(part)].map((other) => changed(value, key, other)),
  );
  const more = Array.isArray(value)
    ? [
        [...value, ...value],
        [...value, 7],
      ]
    : [{ ...value, unknown: 1 }];
  return [...others, ...parts, ...more];
}

function changed(value: object, key: string, part: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  if (part === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = part ?? null;
  return copy;
}

test('of two endpoints that one request matches, the one with the longer fixed path is first', () => {
  const segments = ({ path }: Route) => path.split('/').map((text) => (text.startsWith(':') ? undefined : text));
  const isShadowed = (late: Route, early: Route) => {
    const pairs = segments(late).map((text, index) => [text, segments(early)[index]] as const);
    const both = late.method === early.method && segments(late).length === segments(early).length;
    const fits = pairs.every(([one, other]) => one === other || one === undefined || other === undefined);
    // If each path names a part that the other one does not, the earlier part counts.
    const [one] = pairs.find(([late, early]) => (late === undefined) !== (early === undefined)) ?? [];
    return both && fits && one !== undefined;
  };
  const shadowed = routes.flatMap((late, index) =>
    routes.slice(0, index).flatMap((early) => (isShadowed(late, early) ? [`${late.path} behind ${early.path}`] : [])),
  );
  expect(shadowed).toEqual([]);
});

describe('every named shape', () => {
  test.each(Object.keys(schemas))('%s: its examples fit', (name) => {
    const schema = schemas[name] as Anything;
    for (const example of schema.examples ?? []) {
      const isValid = validatorFor(schema);
      expect([isValid(example), isValid.errors]).toEqual([true, null]);
    }
  });

  test('has one schema for each name of an error', () => {
    const used = Object.values(wireErrors).filter(({ name }) => schemas[name]);
    for (const { name, listsMessages } of used) {
      const allOf = listsMessages
        ? [{ $ref: '#/components/schemas/ErrorMessages' }]
        : [{ $ref: '#/components/schemas/Error' }, { properties: { name: { const: name } } }];
      expect(schemas[name]).toMatchObject({ allOf });
    }
    expect(used.length).toBeGreaterThan(10);
  });
});

describe('the form of schemas', () => {
  const accepted = (shape: z.ZodType) => shapesOf([shape], 'input').schemas[0];
  const answered = (shape: z.ZodType) => shapesOf([shape], 'output').schemas[0];

  test.each<[string, z.ZodType, object]>([
    ['nullable', z.string().max(3).nullable(), { type: ['string', 'null'], maxLength: 3 }],
    ['a nullable choice', z.enum(['a', 'b']).nullable(), { type: ['string', 'null'], enum: ['a', 'b', null] }],
    ['a bounded integer', z.int().min(0).max(5), { type: 'integer', minimum: 0, maximum: 5 }],
    ['any JSON', z.json(), {}],
    [
      'a map',
      z.record(z.string(), z.boolean()),
      { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'boolean' } },
    ],
    [
      'members that are named like keywords',
      z.object({ format: z.string(), pattern: z.string(), maximum: z.int() }),
      { properties: { format: { type: 'string' }, pattern: { type: 'string' }, maximum: { type: 'integer' } } },
    ],
  ])('%s', (_, shape, want) => {
    expect(answered(shape)).toMatchObject(want);
  });

  test('accepted shapes may have unknown members, answered ones may not', () => {
    const shape = z.object({ a: z.string() });
    expect(accepted(shape)).not.toHaveProperty('additionalProperties');
    expect(answered(shape)).toHaveProperty('additionalProperties', false);
    expect(accepted(z.strictObject({ a: z.string() }))).toHaveProperty('additionalProperties', false);
  });

  test.each(['.', '..', 'a b', '', 'x'.repeat(101), 'ä', 'a/b'])(
    'the name %j is refused as the server does',
    (name) => {
      const shape = wireName('n');
      expect([validatorFor(accepted(shape) ?? {})(name), shape.safeParse(name).success]).toEqual([false, false]);
    },
  );

  test.each(['a', '...', '.a', "A-z_0.!~*'()", 'x'.repeat(100)])(
    'the name %j is accepted as the server does',
    (name) => {
      const shape = wireName('n');
      expect([validatorFor(accepted(shape) ?? {})(name), shape.safeParse(name).success]).toEqual([true, true]);
    },
  );

  test('a recursive shape without a name is refused, because its name would change', () => {
    interface Tree {
      readonly children: readonly Tree[];
    }
    const tree: z.ZodType<Tree> = z.object({ children: z.lazy(() => z.array(tree)) });
    expect(() => answered(tree)).toThrow('needs an id');
  });
});

describe('made from any route', () => {
  const described = (...made: readonly Route[]): Anything =>
    describeApi([{ name: 'Odd', description: 'd', routes: made }], '1.2.3').paths;
  const odd = {
    method: 'post',
    path: '/odd/:oddId',
    summary: 'Do.',
    errors: [],
    requires: signedIn,
    params: z.object({ oddId: z.string() }),
    answer: 200,
    handle: () => undefined,
  } as const;

  test('switches in the query are booleans, repeatable parameters are lists', () => {
    const query = z.object({ really: booleanParam, tag: repeated, q: z.string().min(2) });
    const { parameters } = described(route({ ...odd, method: 'get', query }))['/api/admin/odd/{oddId}'].get;
    expect(parameters.slice(0, 4)).toEqual([
      { name: 'oddId', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'really', in: 'query', required: false, schema: { type: 'boolean' } },
      { name: 'tag', in: 'query', required: false, schema: { type: 'array', items: { type: 'string' } } },
      { name: 'q', in: 'query', required: true, schema: { type: 'string', minLength: 2 } },
    ]);
  });

  test.each([
    ['a read', { method: 'get' }, ['200', '304', '400', '401', '403', '429', '500', '503']],
    ['a write', {}, ['200', '400', '401', '403', '409', '412', '413', '429', '500', '503']],
    ['a creation', { answer: 201 }, ['201', '400', '401', '403', '409', '413', '429', '500', '503']],
    ['a body', { body: z.string() }, ['200', '400', '401', '403', '409', '412', '413', '415', '429', '500', '503']],
    [
      'a body that is not looked at',
      { ignoresBody: true },
      ['200', '400', '401', '403', '409', '412', '413', '429', '500', '503'],
    ],
    [
      'refusals',
      { errors: ['archived', 'not-found'] },
      ['200', '400', '401', '403', '404', '409', '412', '413', '429', '500', '503'],
    ],
  ] as const)('the statuses of %s', (_, more, want) => {
    const [methods] = Object.values(described(route({ ...odd, ...(more as object) }))) as Anything[];
    const [operation] = Object.values(methods) as Anything[];
    expect(Object.keys(operation.responses)).toEqual(want);
  });

  test('the body of a refusal may be a list of messages only if it is refused that way', () => {
    const isPromised = (code: ErrorCode, body: unknown) => {
      const { components, paths } = describeApi(
        [{ name: 'Odd', description: 'd', routes: [route({ ...odd, errors: [code] })] }],
        '1.2.3',
      ) as Anything;
      const { $ref } = paths['/api/admin/odd/{oddId}'].post.responses[400];
      const { schema } = components.responses[$ref.split('/').at(-1)].content['application/json'];
      return validators(components)(schema)(body);
    };
    expect(isPromised('last-owner', [{ msg: 'm' }])).toBe(true);
    expect(isPromised('already-member', [{ msg: 'm' }])).toBe(true);
    expect(isPromised('archived', [{ msg: 'm' }])).toBe(false);
    for (const other of [[], [{ msg: 1 }], [{ msg: 'm', id: 'i' }], { msg: 'm' }]) {
      expect(isPromised('last-owner', other)).toBe(false);
    }
  });

  test('a body whose content type does not matter is documented as such', () => {
    const { post } = described(route({ ...odd, body: z.string(), anyContentType: true }))['/api/admin/odd/{oddId}'];
    expect(Object.keys(post.requestBody.content)).toEqual(['application/json', '*/*']);
  });

  test('a parameter that the path has and the schema lacks is refused, and the other way round', () => {
    expect(() => described({ ...odd, params: z.object({}) })).toThrow('post /odd/:oddId: its params are not those');
    expect(() => described({ ...odd, path: '/odd' })).toThrow('its params are not those');
  });

  test('one id for two shapes is refused', () => {
    const shape = (more: object) => z.object({ a: z.string(), ...more }).meta({ id: 'Twice' });
    const two = [
      { ...odd, body: shape({}) },
      { ...odd, path: '/odder/:oddId', response: shape({ b: z.string() }) },
    ];
    expect(() => described(...two)).toThrow('"Twice" is the id of two shapes');
  });

  test.each<[Route['method'], string, string]>([
    ['get', '/projects', 'getProjects'],
    ['get', '/projects/:projectId', 'getProject'],
    ['put', '/projects/:projectId/features/:featureName', 'putProjectFeature'],
    [
      'post',
      '/projects/:projectId/features/:featureName/environments/:environment/on',
      'postProjectFeatureEnvironmentOn',
    ],
    ['delete', '/a/:x/strategies/:strategyId', 'deleteAOfXStrategy'],
    ['get', '/archive/features/:projectId', 'getArchiveFeaturesOfProject'],
    ['get', '/environments/project/:projectId', 'getEnvironmentsOfProject'],
    ['get', '/user-admin/search', 'getUserAdminSearch'],
  ])('the operationId of %s %s is %s', (method, path, want) => {
    expect(operationIdOf({ method, path })).toBe(want);
  });
});

test('the page has a chapter for each endpoint', () => {
  const page = apiPage(sections);
  for (const one of routes) expect(page).toContain(`### ${one.method.toUpperCase()} ${templateOf(one)}\n`);
});
