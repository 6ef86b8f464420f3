/** A real OpenTelemetry Collector, built from its pinned module, that sends on the traces that it gets. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { modulePrograms } from './module-programs.ts';

export interface OtelCollector {
  /** `http://127.0.0.1:…`, for OTLP by HTTP. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Resolves when it listens on the loopback address. `receiver`: the URL that gets its traces, by HTTP with JSON. */
export async function startOtelCollector(receiver: string): Promise<OtelCollector> {
  const programs = await modulePrograms({
    module: 'go.opentelemetry.io/collector/otelcol',
    packages: { 'otel-collector': '.' },
    folder: 'otel-collector',
    programs: ['otel-collector'],
    instead: 'leave out the test with a real OpenTelemetry Collector',
  });
  const folder = await mkdtemp(join(tmpdir(), 'vexil-otel-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      exporters: { otlp_http: { endpoint: receiver, encoding: 'json', compression: 'none' } },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
      },
    }),
  );
  const child = spawn(join(programs, 'otel-collector'), ['--config', `file:${config}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  await waitUntil({ what: 'the collector listens' }, async () => {
    if (child.exitCode !== null) throw new Error(`otel-collector has ended:\n${log}`);
    return fetch(url).then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
