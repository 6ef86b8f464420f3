/** The architecture rules that no other tool checks. Each rule is also run on code that breaks it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rulesAboutCalls } from './call-rules.ts';
import { outsideConsole } from './console.ts';
import {
  barrels,
  defaultExports,
  emptyNames,
  oddFileNames,
  registriesIn,
  tooLong,
  unclearPaths,
  unwrittenTypes,
  wideComments,
  withoutMeaning,
} from './form.ts';
import { cycles, deadExports, edgeOfCluster } from './graph.ts';
import { againstArrows, layerOf, layers } from './layers.ts';
import { nameRules } from './name-rules.ts';
import { impurity, processOutsideMain } from './purity.ts';
import { type Files, type Rule, src } from './rule.ts';
import { type Finding, inWords, parseSource, readSources, type Source } from './source.ts';

const root = resolve(import.meta.dirname, '../..');
const sources = readSources(root, ['src', 'cli', 'console/src', 'scripts', 'site', 'test']);

/** Places that may break a rule, each with its reason. The test fails for an entry that excuses nothing. */
const excused: Readonly<Record<string, string>> = {
  'tests do not sleep: test/support/control-plane/wait-until.ts sleeps':
    'this is the one way to wait for a condition with a deadline; it pauses between two looks',
};

const rules: Readonly<Record<string, Rule>> = {
  ...rulesAboutCalls,
  ...nameRules,
  'imports follow the arrows between the layers': {
    find: againstArrows,
    breaches: [
      src('domain/a.ts', "import { b } from '../kube/b.ts';"),
      src('domain/a.ts', "import type { B } from '../kube/b.ts';"),
      src('domain/a.ts', "export { b } from '../http/b.ts';"),
      src('domain/a.ts', "export * from '../http/b.ts';"),
      src('domain/a.ts', "const b = await import('../kube/b.ts');"),
      src('domain/a.ts', "type B = import('../kube/b.ts').B;"),
      src('domain/a.ts', "let b: typeof import('../kube/b.ts');"),
      src('domain/a.ts', "import '../kube/b.ts';"),
      src('domain/a.ts', "import { readFileSync } from 'node:fs';"),
      src('domain/a.ts', "import { z } from 'zod';"),
      src('schema/a.ts', "import { b } from '../domain/b.ts';"),
      src('schema/a.ts', "import { get } from 'https';"),
      src('kube/a.ts', "import { b } from '../domain/b.ts';"),
      src('kube/a.ts', "import { b } from '../runtime/b.ts';"),
      src('kube/a.ts', "import { type A, b } from '../telemetry/b.ts';"),
      src('runtime/a.ts', "import type { Kind } from '../schema/kind.ts';"),
      src('catalog/a.ts', "import { b } from '../http/b.ts';"),
      src('kinds/a.ts', "import { b } from '../http/b.ts';"),
      src('kinds/a.ts', "import { b } from '../runtime/queue.ts';"),
      src('http/routes/a.ts', "import { b } from '../../kinds/b.ts';"),
      src('http/routes/a.ts', "import { loadConfig } from '../../config/load-config.ts';"),
      src('wire/admin/a.ts', "import { b } from '../../http/b.ts';"),
      src('wire/admin/a.ts', "import type { B } from '../../catalog/b.ts';"),
      src('access/a.ts', "import type { B } from '../actions/b.ts';"),
      src('actions/a.ts', "import { b } from '../wire/admin/b.ts';"),
      src('kube/api/a.ts', "import { b } from '../cache/b.ts';"),
      src('kube/cache/a.ts', "import { b } from '../b.ts';"),
      src('domain/identity/a.ts', "import type { B } from '../flag/b.ts';"),
      src('domain/elsewhere/a.ts', "import { b } from '../elsewhere/b.ts';"),
      src('http/server/a.ts', "import { b } from '../routes/b.ts';"),
      src('telemetry/a.ts', "import type { Kind } from '../schema/kind.ts';"),
      src('config/a.ts', "import type { Kind } from '../schema/kind.ts';"),
      src('errors.ts', "import { z } from 'zod';"),
      src('app.ts', "import { b } from './main.ts';"),
      src('main.ts', "import { b } from './kube/b.ts';"),
      src('kube/a.ts', "import { b } from '../../test/support/b.ts';"),
      src('kube/a.ts', "import { KubeConfig } from '@kubernetes/client-node';\nimport express from 'express';"),
      src('http/a.ts', "import type { V1Pod } from '@kubernetes/client-node';"),
      src('http/a.ts', "import { x } from '@kubernetes/client-node/dist/x.js';"),
      src('app.ts', "import type { Request } from 'express';"),
      src('elsewhere/a.ts', ''),
      src('helper.ts', ''),
    ],
    innocent: [
      src('domain/flag/a.ts', "import { b } from '../../schema/b.ts';\nimport { createHash } from 'node:crypto';"),
      src(
        'domain/a.ts',
        "// import { b } from '../kube/b.ts';\nexport const text = \"import { b } from '../kube/b.ts'\";",
      ),
      src('kube/a.ts', "import type { Logger } from '../telemetry/logger.ts';\nimport { b } from './b.ts';"),
      src('http/routes/a.ts', "import { b } from '../route/b.ts';\nimport { done } from '../../runtime/outcome.ts';"),
      src('http/a.ts', "import { b } from './routes/b.ts';"),
      src('kinds/a.ts', "import { b } from '../audit/derive/b.ts';"),
      src('runtime/a.ts', "import { Refusal } from '../errors.ts';"),
    ],
  },
  'the edge runs nothing of a cluster': {
    find: edgeOfCluster,
    breaches: [{ 'src/edge.ts': "import './edge/a.ts';", 'src/edge/a.ts': "import { b } from '../catalog/b.ts';" }],
    innocent: [
      { 'src/edge.ts': "import './edge/a.ts';", 'src/edge/a.ts': "import type { B } from '../catalog/b.ts';" },
    ],
  },
  'the console imports only its own files': {
    find: outsideConsole,
    breaches: [
      { 'console/src/a.ts': "import { b } from '../../src/domain/b.ts';" },
      { 'console/src/project/a.tsx': "import type { B } from '../../../src/wire/b.ts';" },
      { 'console/src/a.ts': "import { z } from 'zod';" },
      { 'console/src/a.ts': "import { env } from 'node:process';" },
    ],
    innocent: [
      { 'console/src/project/a.tsx': "import { b } from '../b.ts';\nimport { useState } from 'react';" },
      src('http/a.ts', "import { z } from 'zod';"),
    ],
  },
  'only main knows the process': {
    find: processOutsideMain,
    breaches: [
      src('app.ts', 'const home = process.env.HOME;'),
      src('kube/a.ts', "import { env } from 'node:process';"),
      src('kube/a.ts', "import { env } from 'process';"),
      src('kube/a.ts', 'const { pid } = globalThis.process;'),
      src('kube/a.ts', 'const text = `a $'.concat('{process.pid} b`;')),
    ],
    innocent: [
      src('main.ts', 'process.exitCode = 1;'),
      src(
        'kube/a.ts',
        '// process.env\nconst text = "process"; const found = work.process; const part = { process: 1 };',
      ),
    ],
  },
  'domain, model, schema and wire are pure': {
    find: impurity,
    breaches: [
      'const now = Date.now();',
      'const now = new Date();',
      'const now = Date();',
      'const random = Math.random();',
      "import { randomUUID } from 'node:crypto';",
      'const id = crypto.randomUUID();',
      'setTimeout(go, 5);',
      'globalThis.setInterval(go, 5);',
      'const now = performance.now();',
    ].flatMap((text) => [src('domain/a.ts', text), src('wire/a.ts', text)]),
    innocent: [
      src('domain/a.ts', 'const then = new Date(text); const { now, random } = parts; now(); // Date.now()'),
      src('runtime/a.ts', 'setTimeout(wake, 5);'),
    ],
  },
  'nothing is exported as a default': {
    find: defaultExports,
    breaches: [
      src('kube/a.ts', 'export default function a() {}'),
      src('kube/a.ts', 'const a = 1; export { a as default };'),
      { 'scripts/a.ts': 'export default 1;' },
    ],
    innocent: [src('kube/a.ts', "import express from 'express';")],
  },
  'there are no barrels': {
    find: barrels,
    breaches: [
      src('kube/index.ts', 'export const a = 1;'),
      src('kube/a.ts', "export { b } from './b.ts';\nexport type { C } from './c.ts';"),
      src('kube/a.ts', "const a = 1;\nexport * from './b.ts';"),
    ],
    innocent: [src('kube/a.ts', "export { b } from './b.ts';\nexport const a = 1;"), src('kube/a.ts', '')],
  },
  'paths are relative with their ending': {
    find: unclearPaths,
    breaches: ['./b', '../b.js', '/b.ts', '#b', '..', 'file:///b.ts'].map((path) =>
      src('kube/a.ts', `import { b } from '${path}';`),
    ),
    innocent: [src('kube/a.ts', "import { b } from '../b.ts';\nimport { c } from 'c';\nimport d from 'node:d';")],
  },
  'no file is long': {
    find: tooLong,
    breaches: [src('kube/a.ts', '//\n'.repeat(401)), { 'test/a.test.ts': '//\n'.repeat(401) }],
    innocent: [src('kube/a.ts', '//\n'.repeat(400)), src('kube/a.generated.ts', '//\n'.repeat(401))],
  },
  'comments are wrapped': {
    find: wideComments,
    breaches: [src('kube/a.ts', `/** ${'a '.repeat(60)}*/`), src('kube/a.ts', `/**\n * ${'a '.repeat(60)}\n */`)],
    innocent: [src('kube/a.ts', `/** ${'a '.repeat(50)}*/\nconst a = '${'a'.repeat(120)}';`)],
  },
  'every file says what it means': {
    find: withoutMeaning,
    breaches: [src('kube/a.ts', 'export const a = 1; // a'), src('kube/a.ts', '')],
    innocent: [src('kube/a.ts', '/** A. */'), src('kube/a.ts', '// A.'), { 'test/a.test.ts': '' }],
  },
  'names mean something': {
    find: emptyNames,
    breaches: [
      src('kube/string-utils.ts', ''),
      src('kube/helpers/a.ts', ''),
      { 'test/support/common.ts': '' },
      src('kube/a.ts', 'export function flagHelper() {}'),
      src('kube/a.ts', 'export const ConnectionManager = 1;'),
      src('kube/a.ts', 'export class RequestHandler {}'),
      src('kube/a.ts', 'export type FlagInfo = string;'),
      src('kube/a.ts', 'const b = 1; export { b as flagData };'),
      src('kube/a.ts', 'export interface IFlag {}'),
    ],
    innocent: [
      src(
        'kube/a.ts',
        'export const protectedManagers = 1; export const SPEC_MANAGER = 1; export type FieldManager = string; export const handle = 1;',
      ),
      src('kube/a.ts', 'export interface Item {}\nexport interface Identity {}\nconst data = 1;'),
      src('kube/commonly.ts', ''),
    ],
  },
  'files are lower-kebab': {
    find: oddFileNames,
    breaches: [
      src('kube/watchState.ts', ''),
      src('kube/Watch.ts', ''),
      src('kube/a_b.ts', ''),
      { 'test/a.spec.ts': '' },
    ],
    innocent: [src('kube/a-b2.ts', ''), { 'test/a-b.test.ts': '' }, src('kube/a.generated.ts', '')],
  },
  'exported types are written down': {
    find: unwrittenTypes,
    breaches: [
      src('kube/a.ts', 'export type A = ReturnType<typeof readA>;'),
      src('kube/a.ts', 'interface A {\n  b: ReturnType<typeof createB>;\n}'),
      src('kube/a.ts', 'export function createA() {\n  return {};\n}'),
      { 'cli/a.ts': 'export async function createA() {}' },
    ],
    innocent: [
      src('kube/a.ts', 'export interface A {}\ntype B = ReturnType<typeof readB>;'),
      src('kube/a.ts', 'export function createA(): A {}\nfunction createB() {}'),
    ],
  },
  'no files import each other in a circle': {
    find: cycles,
    breaches: [
      { 'src/kube/a.ts': "import './b.ts';", 'src/kube/b.ts': "import './c.ts';", 'src/kube/c.ts': "import './a.ts';" },
      { 'src/kube/a.ts': "import type { B } from './b.ts';", 'src/kube/b.ts': "import { a } from './a.ts';" },
      { 'src/kube/a.ts': "import './a.ts';" },
    ],
    innocent: [
      {
        'src/kube/a.ts': "import './b.ts';\nimport './c.ts';",
        'src/kube/b.ts': "import './c.ts';",
        'src/kube/c.ts': '',
      },
    ],
  },
  'every export is used': {
    find: deadExports,
    breaches: [
      { 'src/kube/a.ts': 'export const a = 1;', 'src/kube/b.ts': "import { c } from './a.ts';" },
      { 'src/kube/a.ts': 'export interface A {}' },
      { 'src/kube/a.ts': 'const a = 1; export { a as b };', 'src/kube/b.ts': "import { a } from './a.ts';" },
      { 'src/kube/a.ts': 'export const a = 1; a;' },
    ],
    innocent: [
      { 'src/kube/a.ts': 'export const a = 1;', 'test/b.test.ts': "import { a as b } from '../src/kube/a.ts';" },
      { 'src/kube/a.ts': 'export const a = 1;', 'scripts/b.ts': "import * as all from '../src/kube/a.ts';" },
      { 'src/kube/a.ts': 'export type A = 1;', 'src/kube/b.ts': "type B = import('./a.ts').A;" },
      { 'src/kube/a.ts': 'export interface Parts {}\nfunction go(parts: Parts) {}' },
    ],
  },
};

function parsed(files: Files): Source[] {
  return Object.entries(files).map(([path, text]) => parseSource(path, text));
}

function keyOf(rule: string, { path, what }: Finding): string {
  return `${rule}: ${path} ${what}`;
}

describe.each(Object.entries(rules))('%s', (name, { find, breaches, innocent }) => {
  test('in this project', () => {
    const findings = find(sources).filter((finding) => excused[keyOf(name, finding)] === undefined);
    expect(findings.map(inWords).join('\n')).toBe('');
  });

  test.each(breaches)('a breach is found: %j', (files) => {
    expect(find(parsed(files)).map(inWords)).toEqual([expect.stringMatching(/^\S+\.tsx?:\d+ .+ \(.+\)$/)]);
  });

  test.each(innocent)('nothing is found: %j', (files) => {
    expect(find(parsed(files))).toEqual([]);
  });
});

test('a finding names file, line, breach and reason', () => {
  const [finding] = againstArrows(parsed(src('http/a.ts', "//\nimport { b } from '../kinds/b.ts';")));
  expect(finding && inWords(finding)).toBe(
    'src/http/a.ts:2 http may not import src/kinds/b.ts (reconcilers and the HTTP API meet only in the cluster, and settings arrive as one value, the Config)',
  );
});

test('every exception in the table excuses a breach', () => {
  const found = Object.entries(rules).flatMap(([name, { find }]) => find(sources).map((one) => keyOf(name, one)));
  expect(Object.keys(excused).filter((key) => !found.includes(key))).toEqual([]);
});

test('the layers are those of the table, and its arrows lead to layers', () => {
  for (const [name, { may }] of Object.entries(layers)) {
    expect([name, layerOf(`src/${name}/a.ts`) ?? layerOf(`src/${name}.ts`)]).toEqual([name, name]);
    for (const arrow of may) expect(Object.keys(layers)).toContain(arrow.replace('type:', '').split('/')[0]);
  }
});

describe('the lockfile names no registry', () => {
  test('in this project', () => {
    expect(registriesIn(readFileSync(resolve(root, 'package-lock.json'), 'utf8')).map(inWords)).toEqual([]);
  });

  test('a breach is found', () => {
    const lockfile = '{\n  "a": {\n    "version": "1.0.0",\n    "resolved": "https://registry.example/a.tgz"\n  }\n}';
    expect(registriesIn(lockfile)).toMatchObject([{ path: 'package-lock.json', line: 4 }]);
  });
});
