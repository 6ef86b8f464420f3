/**
 * The OFREP providers of Python and Go, unmodified: they distinguish whole numbers from others, and fail where a member
 * is missing.
 */
import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { ofrepPrograms } from '../support/sdk-programs.ts';
import { tokenValue } from '../support/sdk-world.ts';

const on = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
const off = { production: { ...on.production, enabled: false } };
type Payload = NonNullable<NonNullable<FlagSpec['variants']>[number]['payload']>;
const valued = (type: Payload['type'], value: string, environments: FlagSpec['environments'] = on): FlagSpec => ({
  variants: [{ name: 'one', payload: { type, value } }],
  environments,
});

let instance: Instance;
let token: string;

beforeAll(async () => {
  instance = await startInstance('ofrep-programs', { settings: { VEXIL_AUTH: 'token' } });
  const specs: Readonly<Record<string, FlagSpec>> = {
    plain: { environments: on },
    kill: { environments: off },
    text: valued('string', 'red'),
    whole: valued('number', '5'),
    float: valued('number', '5.0'),
    object: valued('json', '{"colour":"red"}'),
    list: valued('json', '[1,2]'),
    'text-off': valued('string', 'red', off),
  };
  await instance.apply(...Object.entries(specs).map(([name, spec]) => aFlag(`${instance.home}/${name}`, spec)));
  token = await tokenValue(instance, 'backend');
});
afterAll(() => instance.stop());

type Question = readonly [
  flag: string,
  type: 'boolean' | 'string' | 'integer' | 'float' | 'object',
  byDefault: unknown,
];

const rows: readonly (readonly [question: Question, value: unknown, error: string | null])[] = [
  [['plain', 'boolean', false], true, null],
  [['kill', 'boolean', true], false, null],
  [['text', 'string', 'default'], 'red', null],
  [['whole', 'integer', 0], 5, null],
  [['float', 'float', 0.5], 5, null],
  [['object', 'object', {}], { colour: 'red' }, null],
  [['list', 'object', []], [1, 2], null],
  [['none', 'boolean', true], true, 'FLAG_NOT_FOUND'],
  [['text', 'boolean', true], true, 'TYPE_MISMATCH'],
  [['text', 'integer', 7], 7, 'TYPE_MISMATCH'],
];

describe.each(Object.entries(ofrepPrograms))('%s', (_, make) => {
  async function ask(questions: readonly Question[], value = token): Promise<unknown> {
    const [command = '', ...args] = await make();
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify({ url: instance.url, token: value, questions }));
    return json(child.stdout);
  }

  test('all types, defaults, a kill switch and errors', async () => {
    expect(await ask(rows.map(([question]) => question))).toEqual(rows.map(([, value, error]) => ({ value, error })));
  });

  test('a flag with payloads that is off has the default', async () => {
    // Go takes a missing value as a value of another type, Python as no value.
    expect(await ask([['text-off', 'string', 'default']])).toMatchObject([{ value: 'default' }]);
  });

  test('a wrong token is an error, and the default is used', async () => {
    expect(await ask([['plain', 'boolean', false]], 'wrong')).toEqual([{ value: false, error: 'GENERAL' }]);
  });
});
