/**
 * What Git and people have done before a user of the demo arrives: a flag that Git owns, a ramp that runs, a window
 * that opens, a freeze, a stale flag, an archived one, a change that waits for approval. Relative to the present time.
 */
import { join } from 'node:path';
import type { Json } from '../../src/model/json.ts';
import type { ControlPlane } from '../support/control-plane/start-control-plane.ts';
import { HOME, SAMPLES, SHOP } from './settings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long the load test takes, from the start of the demo. */
const LOAD_TEST_MS = 3 * DAY_MS;

/** The flags that Git owns. */
const GIT_SAMPLES = join(SAMPLES, 'git');

const GIT = ['--as=system:serviceaccount:flux-system:kustomize-controller', '--field-manager=kustomize-controller'];
/** Flux takes over what managers with a name like kubectl's have written; docs/gitops.md. */
const BY_PEOPLE = '--field-manager=people';
const ADA = 'ada@example.com';
const LIN = 'lin@example.com';

interface Change {
  readonly by: string;
  readonly namespace: string;
  /** `ff/faster-search` */
  readonly object: string;
  readonly spec: Json;
}

/** One change for each object, so that their order does not matter. `now` is in ms since 1970. */
function changesAt(now: number): readonly Change[] {
  const at = (ms: number) => new Date(now + ms).toISOString();
  const of = (flag: string, spec: Json): Change => ({ by: LIN, namespace: SHOP, object: `ff/${flag}`, spec });
  const inProduction = (flag: string, production: Json) => of(flag, { environments: { production } });
  const window = { activeFrom: at(DAY_MS), activeUntil: at(15 * DAY_MS) };
  const freeze = { name: 'load-test', from: at(-HOUR_MS), until: at(LOAD_TEST_MS), reason: 'The load test needs calm' };
  return [
    inProduction('faster-search', { strategies: { gradual: { ramp: { startAt: at(0) } } } }),
    inProduction('winter-sale', { enabled: true, ...window }),
    of('guest-checkout', { stale: true }),
    of('old-invoices', { archived: true }),
    { by: ADA, namespace: HOME, object: 'fenv/staging', spec: { freezes: [freeze], approvals: { required: 1 } } },
  ];
}

/** What Lin asks for in staging, where Ada wants approvals: it comes into effect after the freeze. */
function requestAt(now: number): Json {
  return {
    apiVersion: 'vexil.dev/v1beta1',
    kind: 'ChangeRequest',
    metadata: { name: 'sale-in-staging', namespace: SHOP },
    spec: {
      target: { kind: 'FeatureFlag', name: 'winter-sale' },
      environments: {
        staging: { enabled: true, strategies: { everyone: { name: 'default', segments: ['nordic-customers'] } } },
      },
      applyAt: new Date(now + LOAD_TEST_MS + HOUR_MS).toISOString(),
      author: { kind: 'User', name: LIN },
      reason: 'Try the prices in staging after the load test',
    },
  };
}

/** Makes the changes with kubectl. Resolves when all flags are Ready again. */
export async function makeChanges({ kubectlOrThrow }: ControlPlane, now: number): Promise<void> {
  const patch = ({ by, namespace, object, spec }: Change) => {
    const as = ['--as', by, BY_PEOPLE, '--namespace', namespace];
    return kubectlOrThrow(['patch', object, ...as, '--type=merge', '--patch', JSON.stringify({ spec })]);
  };
  const applied = kubectlOrThrow(['apply', '--server-side', ...GIT, '--filename', GIT_SAMPLES]);
  await Promise.all([applied, ...changesAt(now).map(patch)]);
  const input = JSON.stringify(requestAt(now));
  await kubectlOrThrow(['create', '--as', LIN, BY_PEOPLE, '--filename', '-'], { input });
  await kubectlOrThrow(['wait', 'ff', '--all', '--namespace', SHOP, '--for=condition=Ready', '--timeout=60s']);
}
