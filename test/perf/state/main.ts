/** Measures export and import of a state document with many flags: `node test/perf/state/main.ts`. */
import { request } from 'node:http';
import { parseArgs } from 'node:util';
import { installDefinitions } from '../../support/control-plane/install-definitions.ts';
import { startControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { startOperatorProgram } from '../../support/operator-program.ts';
import { grantOperatorRoles } from '../../support/operator-roles.ts';
import { HOME } from '../contents.ts';
import { nodeWithin, readMemory } from '../memory-limit.ts';
import { IMAGE_ENVIRONMENT, IMAGE_OPTIONS, PROGRAM } from '../program.ts';
import { describeMachine } from '../report.ts';
import { runBench, type Undo } from '../run-bench.ts';
import { footprintOf } from '../scale/footprint.ts';
import { documentOf } from './document.ts';

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  readonly seconds: number;
  /** The longest duration of a request that needs only the thread. */
  readonly maxWaitMs: number;
}

interface Wanted {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** The content type; JSON by default. */
  readonly contentType?: string;
}

const ASK_EVERY_MS = 50;

/** Sends the request without `fetch`, which would give up after five minutes. */
async function sendTimed(
  port: number,
  { method, path, body, contentType = 'application/json' }: Wanted,
): Promise<Sent> {
  const others = askOthers(port);
  const startedAt = performance.now();
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': contentType };
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { status, text, bytes: Buffer.byteLength(text), seconds, maxWaitMs: await others.stop() };
}

/** Sends requests that need no work, again and again. */
function askOthers(port: number) {
  let longest = 0;
  let underWay: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const ask = async () => {
    const askedAt = performance.now();
    isWaiting = true;
    await fetch(`http://127.0.0.1:${port}/health`).then((answer) => answer.text());
    isWaiting = false;
    longest = Math.max(longest, performance.now() - askedAt);
  };
  const timer = setInterval(() => {
    if (!isWaiting) underWay = ask();
  }, ASK_EVERY_MS);
  return {
    async stop(): Promise<number> {
      clearInterval(timer);
      await underWay;
      return longest;
    },
  };
}

const USAGE = `Usage: node test/perf/state/main.ts [--flags N] [--memory MEBIBYTES]
  --flags   how many, 10000 unless said
  --memory  the limit of the operator, as of a container; it takes root`;

interface Options {
  readonly flags: number;
  readonly memory: number | undefined;
}

function readOptions(): Options {
  const { flags, memory } = parseArgs({
    options: { flags: { type: 'string', default: '10000' }, memory: { type: 'string' } },
  }).values;
  if (!/^[1-9]\d{0,4}$/.test(flags)) throw new Error(`--flags must be from 1 to 99999, not ${flags}`);
  return { flags: Number(flags), memory: readMemory(memory) };
}

interface Step {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

/** Documents that take more work to parse than their size suggests. Both are refused. */
const YAML_BOMBS = {
  'YAML with 1,300,000 values, refused': `x:\n${'- 1\n'.repeat(1_300_000)}`,
  'YAML whose aliases stand for 10^9 values, refused': `a0: &a0 [${'1,'.repeat(10)}]\n${aliases(8)}`,
};

/** Each line is a list of ten references to the list before. */
function aliases(depth: number): string {
  const lines = Array.from({ length: depth }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`);
  return lines.join('\n');
}

async function run({ flags, memory }: Options, undoLater: (undo: Undo) => void): Promise<void> {
  process.stdout.write(`${describeMachine()}\n\n`);
  const cluster = await startControlPlane();
  undoLater(cluster.stop);
  await installDefinitions(cluster);
  await cluster.kubectlOrThrow(['create', 'namespace', HOME]);
  const operator = startOperatorProgram({
    program: PROGRAM,
    nodeOptions: IMAGE_OPTIONS,
    ...(memory !== undefined && { node: await nodeWithin(memory, undoLater) }),
    settings: {
      ...IMAGE_ENVIRONMENT,
      KUBECONFIG: await grantOperatorRoles(cluster, HOME, []),
      VEXIL_NAMESPACE: HOME,
      VEXIL_HTTP_PORT: '0',
      VEXIL_OPS_PORT: '0',
      VEXIL_AUTH: 'none',
      VEXIL_IMPORT_LIMIT: '100MiB',
    },
    onLine: (line) => {
      if (!line.startsWith('{"level":"info"') || line.includes('state document')) process.stderr.write(`${line}\n`);
    },
  });
  undoLater(async () => void (await operator.stop()));
  const { httpPort, opsPort } = await operator.listening;
  await waitUntil({ what: 'it is ready' }, async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok);

  const execute = async ({ what, ...request }: Step): Promise<Sent> => {
    const before = await footprintOf(operator.pid);
    const sent = await sendTimed(httpPort, request);
    const after = await footprintOf(operator.pid);
    process.stdout.write(
      `${what.padEnd(52)} ${sent.status} ${sent.seconds.toFixed(1).padStart(6)} s, ${(sent.bytes / 1e6).toFixed(1)} MB answered, ` +
        `${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of CPU, ${Math.round(before.residentMb)} MB before, ` +
        `${Math.round(after.residentMb)} MB after, ${Math.round(after.peakMb)} MB at most; others waited ${Math.round(sent.maxWaitMs)} ms at most\n`,
    );
    return sent;
  };
  const document = JSON.stringify(documentOf(flags));
  process.stdout.write(`${flags} flags, ${(document.length / 1e6).toFixed(1)} MB of JSON\n`);
  const path = '/api/admin/state/import';
  await execute({ what: 'the import', method: 'POST', path, body: document });
  await execute({ what: 'the same again, which writes nothing', method: 'POST', path, body: document });
  const exported = await execute({ what: 'export as JSON', method: 'GET', path: '/api/admin/state/export' });
  await execute({ what: 'export as YAML', method: 'GET', path: '/api/admin/state/export?format=yaml' });
  const dropping = { method: 'POST', path: `${path}?drop=true` } as const;
  await execute({ what: 'that export with drop, which writes nothing', ...dropping, body: exported.text });
  const none = '{"features":[]}';
  await execute({ what: 'a dry run of dropping all', ...dropping, path: `${dropping.path}&dryRun=true`, body: none });
  await execute({ what: 'drop of all flags', ...dropping, body: none });
  for (const [what, body] of Object.entries(YAML_BOMBS)) {
    await execute({ what, method: 'POST', path, body, contentType: 'application/yaml' });
  }
}

await runBench({ usage: USAGE, readOptions, run });
