/** Refuses changes of flags in environments whose freeze is in force, unless the caller bypasses it. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SpecWrite } from '../../domain/flag/edit/environments-touched.ts';
import { gainSentence } from '../../domain/flag/gaining-children.ts';
import { freezeAt, freezeSentence } from '../../domain/freeze/freeze-in-force.ts';
import { DEFAULT_PROJECT, wireNameOf } from '../../domain/identity/names.ts';
import { type FrozenEnvironment, Refusal } from '../../errors.ts';
import type { Ref } from '../../model/object.ts';
import { type Environment, environment as environmentKind } from '../../schema/environment.ts';
import type { FlagSpec } from '../../schema/feature-flag.ts';
import type { AccessRequest, Caller } from '../caller.ts';
import { type ChangedCatalog, changedEnvironments } from './changed-environments.ts';

/** The verb on an Environment that permits changes of flags during a freeze. */
const BYPASS_FREEZE = 'bypass-freeze';

/** What a caller needs for changes of flags of the project in the environment during a freeze. */
export function toBypassFreeze(environment: Environment, project: string | undefined): AccessRequest {
  const { namespace, name } = environment.metadata;
  const access = { verb: BYPASS_FREEZE, resource: environmentKind.plural, namespace, name };
  return { permission: 'BYPASS_FREEZE', project, environment: wireNameOf(environment), accesses: [access] };
}

interface Frozen extends FrozenEnvironment {
  readonly isBypassed: boolean;
}

/**
 * Returns the freezes that the caller bypasses; throws `frozen`. The policy in config/admission does not ask the
 * operator: it knows no callers of the API.
 */
export function refusingFrozen(catalog: ChangedCatalog) {
  return async (caller: Caller, write: SpecWrite<FlagSpec>, ref: Ref): Promise<readonly FrozenEnvironment[]> => {
    // Most instances have no freezes, and an import writes thousands of flags.
    if (!catalog.environments().some(({ spec }) => spec.freezes)) return [];
    const project = (write.after ?? write.before)?.project ?? DEFAULT_PROJECT;
    const { names, gains } = changedEnvironments(catalog, write, ref);
    const found = await Promise.all([...names].map((name) => frozenIn(catalog, caller, { name, project })));
    const frozen = found.flat().filter(({ isBypassed }) => !isBypassed);
    if (frozen.length === 0) return found.flat();
    const details = frozen.map((one) => {
      const gaining = gains.get(one.environment);
      const message = gaining ? `${sentence(one)} ${gainSentence(gaining)}` : sentence(one);
      return { path: `spec.environments.${one.environment}`, message };
    });
    const advice = 'Until then flags can only be switched off there, except with the permission BYPASS_FREEZE.';
    const message = [...details.map((detail) => detail.message), advice].join(' ');
    throw new Refusal('frozen', message, { details, frozen });
  };
}

/** The freeze of the environment that is in force, and whether the caller bypasses it. */
async function frozenIn(
  catalog: Pick<Catalog, 'environment' | 'now'>,
  caller: Caller,
  { name, project }: { readonly name: string; readonly project: string | undefined },
): Promise<readonly Frozen[]> {
  const environment = catalog.environment(name);
  const frozen = environment && freezeAt(environment.spec, catalog.now());
  if (!frozen) return [];
  const refusal = await caller.refusal(toBypassFreeze(environment, project));
  const { name: freeze, reason } = frozen.freeze;
  const isBypassed = refusal === undefined;
  return [{ environment: name, name: freeze, until: frozen.until, reason, isBypassed }];
}

/** As `refusingFrozen`, for other objects that decide what is in effect in the environments of these names. */
export function refusingFrozenOthers<S>(
  catalog: Pick<Catalog, 'environment' | 'environments' | 'now'>,
  touched: (write: SpecWrite<S>, ref: Ref) => readonly string[],
) {
  return async (caller: Caller, write: SpecWrite<S>, ref: Ref): Promise<readonly FrozenEnvironment[]> => {
    if (!catalog.environments().some(({ spec }) => spec.freezes)) return [];
    const names = touched(write, ref);
    const found = (
      await Promise.all(names.map((name) => frozenIn(catalog, caller, { name, project: undefined })))
    ).flat();
    const frozen = found.filter(({ isBypassed }) => !isBypassed);
    if (frozen.length === 0) return found;
    const details = frozen.map((one) => ({ message: sentence(one) }));
    throw new Refusal('frozen', details.map(({ message }) => message).join(' '), { details, frozen });
  };
}

function sentence(frozen: FrozenEnvironment): string {
  return `The ${freezeSentence(frozen)}.`;
}
