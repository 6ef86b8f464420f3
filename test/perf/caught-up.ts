/** Waits until the operator has finished all work for the earlier writes. */
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { readMetric } from '../support/read-metric.ts';
import { pathOf, SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';
import type { MeasuredOperator } from './measured-operator.ts';

const UNPUBLISHED_AFTER_MS = 60_000;
const UNJUDGED_AFTER_MS = 120_000;

export async function untilPublished({ opsUrl }: MeasuredOperator): Promise<void> {
  const series = ['vexil_audit_waiting_changes', 'vexil_audit_waiting_events'];
  const options = { what: 'every Event is published', timeoutMs: UNPUBLISHED_AFTER_MS, everyMs: 20 };
  await waitUntil(options, async () => {
    const waiting = await Promise.all(series.map((name) => readMetric(opsUrl, name)));
    return waiting.every((count) => count === 0);
  });
}

interface Flags {
  readonly items: readonly {
    readonly metadata: { readonly generation: number };
    readonly status?: { readonly observedGeneration?: number };
  }[];
}

/** Resolves when all flags are judged. Each poll reads all flags, so it polls seldom. */
export async function untilJudged(admin: KeptClient): Promise<void> {
  const options = { what: 'every flag is judged', timeoutMs: UNJUDGED_AFTER_MS, everyMs: 250 };
  await waitUntil(options, async () => {
    const { bytes } = await admin.call({ method: 'GET', path: pathOf('featureflags', SHOP) });
    const { items }: Flags = JSON.parse(bytes.toString());
    return items.every(({ metadata, status }) => status?.observedGeneration === metadata.generation);
  });
}
