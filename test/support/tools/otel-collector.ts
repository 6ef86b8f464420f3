/** A real OpenTelemetry Collector, built from its pinned module, that sends on the traces that it gets. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../control-plane/ports.ts';
import { modulePrograms } from './module-programs.ts';
import { isListening, runServer } from './run-server.ts';

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
  const [port = 0] = await freePorts(1);
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
  const server = await runServer({
    program: join(programs, 'otel-collector'),
    args: ['--config', `file:${config}`],
    isReady: () => isListening(port),
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
