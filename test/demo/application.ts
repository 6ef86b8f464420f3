/**
 * The web shop of the demo: an application with the unmodified SDK of Unleash for Node.js. It asks for the flags of its
 * customers, prints a line for each change that it sees, and reports the usage as every SDK does.
 */
import process from 'node:process';
import { type Context, Unleash } from 'unleash-client';

/**
 * The flags in the code of the shop. Two of them are mistakes, as in every old application: one is archived, the other
 * does not exist.
 */
const FLAGS = [
  ...['button-colour', 'card-payments', 'faster-search', 'gift-wrapping', 'guest-checkout'],
  ...['loyalty-points', 'old-invoices', 'one-page-checkout', 'winter-sale'],
];
const COUNTRIES = ['DE', 'DK', 'FR', 'SE', 'US'];
const CUSTOMERS = 100;
const SECOND_MS = 1_000;

/** The first four work for the shop. */
const customers = Array.from({ length: CUSTOMERS }, (_, number): Context => {
  const userId = number < 4 ? `staff-${number}@example.com` : `customer-${number}`;
  const country = COUNTRIES[number % COUNTRIES.length] ?? '';
  return { userId, sessionId: `session-${number}`, properties: { country } };
});

/** The flags that the SDK knows at the start: the shop asks for those that are created later, too. */
let first: ReadonlySet<string> | undefined;

function asked(unleash: Unleash): readonly string[] {
  const known = unleash.getFeatureToggleDefinitions().map(({ name }) => name);
  first ??= new Set(known);
  return [...FLAGS, ...known.filter((name) => !FLAGS.includes(name) && !first?.has(name))];
}

/** Returns how many customers have the flag, and how many have each of its variants. */
function describeFlag(unleash: Unleash, flag: string): string {
  const chosen = customers.map((customer) => unleash.getVariant(flag, customer));
  const on = chosen.filter((variant) => variant.feature_enabled);
  const variants = Map.groupBy(
    on.filter(({ enabled }) => enabled),
    ({ name }) => name,
  );
  const counts = [...variants].map(([name, { length }]) => `${name} ${length}`).toSorted();
  const which = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return on.length === 0 ? 'off' : `on for ${on.length} of ${CUSTOMERS} customers${which}`;
}

const { VEXIL_URL = '', VEXIL_TOKEN = '', BACKUP_FOLDER = '' } = process.env;
const unleash = new Unleash({
  url: `${VEXIL_URL}/api/`,
  appName: 'web-shop',
  customHeaders: { Authorization: VEXIL_TOKEN },
  refreshInterval: SECOND_MS / 2,
  metricsInterval: SECOND_MS,
  backupPath: BACKUP_FOLDER,
});
const seen = new Map<string, string>();

function look(): void {
  // The SDK announces its first flags before it applies them.
  if (!unleash.isSynchronized()) return;
  for (const flag of asked(unleash)) {
    const now = describeFlag(unleash, flag);
    if (seen.get(flag) !== now) process.stdout.write(`${flag}: ${now}\n`);
    seen.set(flag, now);
  }
}

// The SDK tries again; the operator of the demo may be stopping.
unleash.on('error', () => undefined);
unleash.on('synchronized', look);
unleash.on('changed', look);
setInterval(look, SECOND_MS);
process.once('SIGTERM', () => process.exit());
