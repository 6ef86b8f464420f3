/** `health` and `ready` of Unleash Edge: probes that run a command ask the edge beside them. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { Checked } from './check.ts';
import { edgeSettings } from './setting-table.ts';
import { type Given, settingText } from './settings.ts';

export type Probe = 'health' | 'ready';

const WITHIN_MS = 5_000;

/** Asks the edge at `--edge-url`, by default the one of these settings on this machine. */
export async function probeEdge(probe: Probe, options: Options, environment: Given): Promise<Checked> {
  const url = new URL(`${urlOf(options, environment).replace(/\/+$/, '')}/internal-backstage/${probe}`);
  const caFile = options['caCertificateFile'] ?? environment['CA_CERTIFICATE_FILE'];
  const ca = caFile ? await readFile(String(caFile), 'utf8') : undefined;
  try {
    const status = await statusOf(url, ca);
    return status === 200 ? { text: 'OK\n', isGood: true } : bad(`${url} was answered with ${status}`);
  } catch (error) {
    return bad(`${url} cannot be reached: ${(error as Error).message}`);
  }
}

type Options = Readonly<Record<string, unknown>>;

function urlOf(options: Options, environment: Given): string {
  const given = options['edgeUrl'] ?? environment['EDGE_URL'];
  if (given) return String(given);
  const [port, path = ''] = [edgeSettings.port, edgeSettings.basePath].map((one) =>
    settingText(one, options, environment),
  );
  return `http://localhost:${port}${path}`;
}

function bad(text: string): Checked {
  return { text: `${text}\n`, isGood: false };
}

function statusOf(url: URL, ca: string | undefined): Promise<number | undefined> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? https.get(url, { ca, signal }) : http.get(url, { signal });
    request.once('error', reject).once('response', (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
  });
}
