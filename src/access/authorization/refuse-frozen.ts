/** Refuses changes of flags in environments whose freeze is in force, unless the caller bypasses it. */
import type { Catalog } from '../../catalog/catalog.ts';
import { childrenOn } from '../../catalog/children-on.ts';
import { refusedByFreeze } from '../../domain/flag/edit/change-in-freeze.ts';
import { own, type SpecWrite } from '../../domain/flag/edit/environments-touched.ts';
import { gainingChildren, gainSentence, takenBetween } from '../../domain/flag/gaining-children.ts';
import { freezeAt } from '../../domain/freeze/freeze-in-force.ts';
import { freezeSentence } from '../../domain/freeze/freeze-sentence.ts';
import { DEFAULT_PROJECT, wireNameOf } from '../../domain/identity/names.ts';
import { type FrozenEnvironment, Refusal } from '../../errors.ts';
import type { Ref } from '../../model/object.ts';
import { type Environment, environment as environmentKind } from '../../schema/environment.ts';
import type { FlagSpec } from '../../schema/feature-flag.ts';
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
  catalog: Pick<Catalog, 'childrenOf' | 'effectOf' | 'environment' | 'environments' | 'flag' | 'now'>,
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
  /** Environments where the change takes the flag away, and gives its users a child; with the names of children. */
  function gainsOf({ before, after }: SpecWrite<FlagSpec>, ref: Ref): ReadonlyMap<string, readonly string[]> {
    const flag = catalog.flag(before?.name ?? ref.name);
    const isSame = flag?.metadata.namespace === ref.namespace && flag.metadata.name === ref.name;
    if (!flag || !isSame) return new Map();
    const gains = Object.entries(before?.environments ?? {}).flatMap(([name, old]) => {
      const taken = old && takenBetween(old, own(after?.environments ?? {}, name) ?? {});
      const gaining = taken ? gainingChildren(flag, childrenOn(catalog, flag, name), taken) : [];
      return gaining.length > 0 ? [[name, gaining] as const] : [];
    });
    return new Map(gains);
  }
  return async (caller: Caller, write: SpecWrite<FlagSpec>, ref: Ref): Promise<readonly FrozenEnvironment[]> => {
    // Most instances have no freezes, and an import writes thousands of flags.
    if (!catalog.environments().some(({ spec }) => spec.freezes)) return [];
    const project = (write.after ?? write.before)?.project ?? DEFAULT_PROJECT;
    const gains = gainsOf(write, ref);
    const names = new Set([...refusedByFreeze(write), ...gains.keys()]);
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
