/** Measurements of flags that are evaluated for a context. */
import type { BareRoutes } from './bare-express.ts';
import { startProgram } from './child-program.ts';
import { compare } from './compare.ts';
import { FLAGS, flagName } from './contents.ts';
import type { Load } from './load.ts';
import { type Bench, bytesOf, type Row, readResult } from './rows.ts';
import { authorizationFor } from './tokens.ts';

const ROUND_MS = 1_500;
const CONNECTIONS = 8;
const MANY_CONNECTIONS = 32;
const USER = 'ada@example.com';

interface Asking extends Pick<Load, 'path' | 'body' | 'connections'> {
  readonly what: string;
  readonly perSecondAtLeast: number;
}

/** Measures the request that a browser polls. */
export function evaluateAll(bench: Bench): Promise<Row> {
  const path = `/api/frontend?environment=production&sessionId=1&userId=${encodeURIComponent(USER)}`;
  const what = 'Frontend API, flags for a context';
  return evaluated(bench, { what, perSecondAtLeast: 800, path, connections: CONNECTIONS });
}

/** Measures the request of an OpenFeature provider on a server for each evaluation. */
export function evaluateOne(bench: Bench): Promise<Row> {
  const path = `/ofrep/v1/evaluate/flags/${flagName(0)}?environment=production`;
  const body = JSON.stringify({ context: { targetingKey: USER } });
  return evaluated(bench, {
    what: 'OFREP, one flag',
    perSecondAtLeast: 8_000,
    path,
    body,
    connections: MANY_CONNECTIONS,
  });
}

/** Compares an evaluation with Express that sends the same bytes. */
async function evaluated(bench: Bench, { what, perSecondAtLeast, ...asking }: Asking): Promise<Row> {
  const answer = await bytesOf(bench.stage, asking.path, asking.body);
  const headers = authorizationFor(asking.path, bench.stage.tokens);
  const express = startProgram<BareRoutes, number>('bare-express.ts');
  const [route = ''] = asking.path.split('?');
  const port = await express.ask({ etag: true, bodies: [{ route, body: answer }] });
  const side = (name: string, at: number) => ({
    name,
    measure: () => bench.generator.ask({ port: at, ...asking, headers, durationMs: ROUND_MS }),
  });
  const sides = [side('Vexil', bench.stage.operator.port), side('bare Express', port)];
  const measured = await compare(sides, bench.rounds);
  await express.stop();
  const title = `${what}, ${FLAGS} flags, ${answer.length} bytes, ${asking.connections} connections`;
  return { title, ...readResult(measured), aim: { perSecondAtLeast } };
}
