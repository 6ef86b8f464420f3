/** Writes the last good state to the backup, soon after it has changed. */
import { type Clock, pause } from '../model/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Backup } from './backup.ts';
import type { EdgeFlags, FlagSource } from './flags.ts';
import type { SubscriptionState } from './subscriptions.ts';
import type { Tokens } from './tokens.ts';

interface KeepStateParts {
  /** Undefined: nothing is written. */
  readonly backup: Backup | undefined;
  readonly flags: EdgeFlags;
  readonly tokens: () => Pick<Tokens, 'all'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onFault: (error: unknown) => void;
}

/** Many changes that come together are written once. */
const SAVE_EVERY_MS = 1_000;
/** How often the time of an unchanged state is written. */
const RENEW_EVERY_MS = 60_000;

export function keepState({ backup, flags, tokens, clock, logger, onFault }: KeepStateParts) {
  const scopes = new Map<string, SubscriptionState>();
  const ended = new Map<string, FlagSource>();
  /** The version of the flags and the time of the clock at which a scope was written. */
  const written = new Map<string, { readonly version: number; readonly at: number }>();
  let areTokensChanged = false;
  let hasFailed = false;
  /** The upstream confirms tokens again and again. */
  let tokensSavedAt = clock.now();

  const isDue = ({ source }: SubscriptionState): boolean => {
    const last = written.get(source.key);
    return !last || last.version !== flags.version() || clock.now() - last.at >= RENEW_EVERY_MS;
  };
  const saveScope = async (scope: SubscriptionState): Promise<void> => {
    const { source, goodAt } = scope;
    const document = flags.documentOf(source);
    if (!backup || !document || goodAt === undefined || !isDue(scope)) return;
    const now = { version: flags.version(), at: clock.now() };
    await backup.saveScope(source.key, { document, goodAt });
    written.set(source.key, now);
  };
  const save = async (): Promise<void> => {
    for (const scope of [...scopes.values()]) await saveScope(scope);
    for (const { key } of [...ended.values()]) {
      await backup?.removeScope(key);
      ended.delete(key);
    }
    if (!areTokensChanged && clock.now() - tokensSavedAt < RENEW_EVERY_MS) return;
    areTokensChanged = false;
    tokensSavedAt = clock.now();
    await backup?.saveTokens([...tokens().all()]);
  };
  /** A full disk must not end a program that can serve. What was not written is tried again. */
  const saveSafely = async (): Promise<void> => {
    try {
      await save();
      if (hasFailed) logger.info({}, 'backup: is written again');
      hasFailed = false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) return onFault(error);
      areTokensChanged = true;
      if (!hasFailed) logger.error({ error }, 'backup: cannot be written, flags are served all the same');
      hasFailed = true;
    }
  };
  return {
    scopeIsGood: (scope: SubscriptionState): void => void scopes.set(scope.source.key, scope),
    scopeHasEnded(source: FlagSource): void {
      scopes.delete(source.key);
      written.delete(source.key);
      ended.set(source.key, source);
    },
    tokensHaveChanged(): void {
      areTokensChanged = true;
    },
    save: saveSafely,
    async run(signal: AbortSignal): Promise<void> {
      while (backup && !signal.aborted) {
        await pause(clock, SAVE_EVERY_MS, signal);
        await saveSafely();
      }
    },
  };
}
