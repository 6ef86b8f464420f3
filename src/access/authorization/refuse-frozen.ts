/** Refuses changes of flags in environments whose freeze is in force, unless the caller bypasses it. */
import type { Catalog } from '../../catalog/catalog.ts';
import { childrenAfterWrite } from '../../catalog/children-on.ts';
import { ownerAfterWrite } from '../../catalog/owner-after-write.ts';
import { refusedByFreeze } from '../../domain/flag/edit/change-in-freeze.ts';
import { own, type SpecWrite } from '../../domain/flag/edit/environments-touched.ts';
import { gainSentence, isGaining, takenBetween } from '../../domain/flag/gaining-children.ts';
import { freezeAt } from '../../domain/freeze/freeze-in-force.ts';
import { freezeSentence } from '../../domain/freeze/freeze-sentence.ts';
import { DEFAULT_PROJECT, wireNameOf } from '../../domain/identity/names.ts';
import { type FrozenEnvironment, Refusal } from '../../errors.ts';
import type { Ref } from '../../model/object.ts';
import { type Environment, environment as environmentKind } from '../../schema/environment.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { AccessRequest, Caller } from '../caller.ts';

/** The verb on an Environment that permits changes of flags during a freeze. */
const BYPASS_FREEZE = 'bypass-freeze';

/** What a caller needs for changes of flags of the project in the environment during a freeze. */
export function toBypassFreeze(environment: Environment, project: string): AccessRequest {
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
export function refusingFrozen(
  catalog: Pick<
    Catalog,
    'childrenOf' | 'effectOf' | 'environment' | 'environments' | 'flag' | 'flagContextOf' | 'heirOf' | 'now'
  >,
) {
  async function frozenIn(caller: Caller, name: string, project: string): Promise<readonly Frozen[]> {
    const environment = catalog.environment(name);
    const frozen = environment && freezeAt(environment.spec, catalog.now());
    if (!frozen) return [];
    const refusal = await caller.refusal(toBypassFreeze(environment, project));
    const { name: freeze, reason } = frozen.freeze;
    const isBypassed = refusal === undefined;
    return [{ environment: name, name: freeze, until: frozen.until, reason, isBypassed }];
  }
  /** The children that the write could give to users, by environment. `parent` is the flag after the write. */
  function gainsOf(
    { before }: SpecWrite<FlagSpec>,
    parent: FeatureFlag | undefined,
  ): ReadonlyMap<string, readonly FeatureFlag[]> {
    if (!parent) return new Map();
    const [old, next] = [before?.environments ?? {}, parent.spec.environments ?? {}];
    const gaining = childrenAfterWrite(catalog, parent).filter(({ child, environment, wasOn }) => {
      const [one, other] = [own(old, environment) ?? {}, own(next, environment) ?? {}];
      const follows = other.enabled === true ? 'on' : 'off';
      const change = wasOn ? takenBetween(one, other) : follows;
      return change && isGaining(child, parent, change);
    });
    const byEnvironment = Map.groupBy(gaining, ({ environment }) => environment);
    return new Map([...byEnvironment].map(([environment, found]) => [environment, found.map(({ child }) => child)]));
  }
  return async (caller: Caller, write: SpecWrite<FlagSpec>, ref: Ref): Promise<readonly FrozenEnvironment[]> => {
    // Most instances have no freezes, and an import writes thousands of flags.
    if (!catalog.environments().some(({ spec }) => spec.freezes)) return [];
    const project = (write.after ?? write.before)?.project ?? DEFAULT_PROJECT;
    const owner = ownerAfterWrite(catalog, write, ref);
    const gains = gainsOf(write, owner);
    // A deleted flag may have an heir.
    const effective = { before: write.before, after: write.after ?? owner?.spec };
    const names = new Set([...refusedByFreeze(write), ...refusedByFreeze(effective), ...gains.keys()]);
    const found = await Promise.all([...names].map((name) => frozenIn(caller, name, project)));
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

function sentence(frozen: FrozenEnvironment): string {
  return `The ${freezeSentence(frozen)}.`;
}
