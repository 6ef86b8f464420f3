/** The OFREP provider of Python, unmodified: it distinguishes whole numbers from others, and fails where a member is missing. */
import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { pythonProgram } from '../support/sdk-programs.ts';
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
  instance = await startInstance('ofrep-python', { settings: { VEXIL_AUTH: 'token' } });
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

async function ask(questions: readonly Question[]): Promise<unknown> {
  const [python, script] = await pythonProgram('ofrep.py');
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ url: instance.url, token, questions }));
  return json(child.stdout);
}

test('all types, defaults, a kill switch and errors', async () => {
  const rows: readonly (readonly [Question, object])[] = [
    [['plain', 'boolean', false], { value: true, type: 'bool', error: null }],
    [['kill', 'boolean', true], { value: false, type: 'bool', error: null }],
    [['text', 'string', 'default'], { value: 'red', type: 'str', error: null }],
    [['whole', 'integer', 0], { value: 5, type: 'int', error: null }],
    [['float', 'float', 0.5], { value: 5, type: 'float', error: null }],
    [['object', 'object', {}], { value: { colour: 'red' }, type: 'dict', error: null }],
    [['list', 'object', []], { value: [1, 2], type: 'list', error: null }],
    [['text-off', 'string', 'default'], { value: 'default', type: 'str', error: null }],
    [['none', 'boolean', true], { value: true, type: 'bool', error: 'FLAG_NOT_FOUND' }],
    [['text', 'boolean', true], { value: true, type: 'bool', error: 'TYPE_MISMATCH' }],
  ];
  expect(await ask(rows.map(([question]) => question))).toEqual(rows.map(([, answer]) => answer));
});
