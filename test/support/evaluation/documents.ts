/** Documents of the client API, as the evaluators of tests read them. */
import type { ClientConstraint, ClientFeature, ClientStrategy } from '../../../src/evaluation/client-document.ts';

/** A shape whose members may be left out, as older servers do, or null. */
type Sparse<Shape> = { readonly [Key in keyof Shape]?: Shape[Key] | null };

type SparseConstraint = Sparse<ClientConstraint>;
interface SparseStrategy extends Sparse<Omit<ClientStrategy, 'constraints'>> {
  readonly constraints?: readonly SparseConstraint[];
}
interface SparseFeature extends Sparse<Omit<ClientFeature, 'strategies'>> {
  readonly strategies?: readonly SparseStrategy[];
}
export function aFeature({ strategies, ...given }: SparseFeature): ClientFeature {
  return {
    name: 'flag',
    type: 'release',
    enabled: true,
    project: 'default',
    stale: false,
    impressionData: false,
    description: null,
    variants: [],
    ...present(given),
    strategies: (strategies ?? []).map(aStrategy),
  };
}

export function aStrategy({ constraints, ...given }: SparseStrategy): ClientStrategy {
  return {
    name: 'default',
    parameters: {},
    variants: [],
    ...present(given),
    constraints: (constraints ?? []).map(aConstraint),
  };
}

export function aConstraint(given: SparseConstraint): ClientConstraint {
  return {
    contextName: 'userId',
    operator: 'IN',
    values: [],
    inverted: false,
    caseInsensitive: false,
    ...present(given),
  };
}

type Present<Shape> = { readonly [Key in keyof Shape]?: NonNullable<Shape[Key]> };

function present<Shape extends object>(given: Shape): Present<Shape> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as Present<Shape>;
}
