/** The users of the test of permissions: their roles, the grants that follow from them, and their calls. */
import { type PermissionName, permissionNames } from '../../src/schema/permission.ts';
import { type AccessCall, callsIn, inPay, inShop, isPlaced } from './access-calls.ts';
import { asked, isNeeding, needs } from './endpoint-needs.ts';
import type { Need, Place, Scope } from './endpoints/row.ts';
import { editor, member, ofEditor, owner } from './role-permissions.ts';

/** The permissions that a role can have in a part: all but the one that implies the others. */
const askedButAdmin = asked.filter(([permission]) => permission !== 'ADMIN');
export const needsOf = (route: string): readonly Need[] => needs.get(route) ?? [];

export interface Grant {
  readonly permission: PermissionName;
  /** The project of the grant. If absent, the grant holds in every project. */
  readonly project?: string;
  readonly environment?: string;
}

/** Built-in by its name, or a custom role of only this user. */
export type UserRole = string | readonly Permitted[];
interface Permitted {
  readonly name: PermissionName;
  readonly environment?: string;
}

export interface Someone {
  readonly rootRole?: UserRole;
  /** The role in the project `shop`. */
  readonly role?: UserRole;
  /** The grants that follow from the roles. */
  readonly grants: readonly Grant[];
  readonly calls: readonly PlacedCall[];
}
interface PlacedCall extends AccessCall {
  readonly place: Place;
}

export const inDefault: Place = {
  project: 'default',
  environment: 'production',
  flag: 'plain',
  archived: 'plain-before',
  parent: 'plain-parent',
};
const inDevelopment: Place = { ...inShop, environment: 'development' };

const callsAt = (place: Place): PlacedCall[] => callsIn(place).map((call) => ({ ...call, place }));
/** The endpoints that need a permission. Those without a project and a flag in their path are called in `shop` only. */
const needing = (place: Place, scopes: readonly Scope[] = ['root', 'project', 'environment']): PlacedCall[] =>
  callsAt(place).filter(
    ({ route }) => needsOf(route).some(([, scope]) => scopes.includes(scope)) && (place === inShop || isPlaced(route)),
  );
/** One endpoint for each need. A rule about roles holds for all endpoints with that need. */
const examples = (place: Place): PlacedCall[] => {
  const simple = needing(place).filter(({ route }) => needsOf(route).length === 1);
  return [...new Map(simple.toReversed().map((call) => [`${needsOf(call.route)}`, call])).values()];
};

const grantsIn = (project: string, permissions: readonly PermissionName[]): Grant[] =>
  permissions.map((permission) => ({ permission, project }));
const permitted = (permissions: readonly PermissionName[], environment?: string): Permitted[] =>
  permissions.map((name) => ({ name, ...(environment !== undefined && { environment }) }));

/** Which permissions a role has, and where a grant counts, is tested in test/unit/domain/people/permissions.test.ts. */
export function users(): Readonly<Record<string, Someone>> {
  const unasked = permissionNames.filter((name) => !asked.some(([one]) => one === name));
  const all = askedButAdmin.map(([name]) => name);
  return {
    stranger: { grants: [], calls: [...examples(inShop), ...callsAt(inShop).filter(({ route }) => !isNeeding(route))] },
    viewer: { rootRole: 'Viewer', grants: [], calls: examples(inShop) },
    editor: {
      rootRole: 'Editor',
      grants: [...grantsIn('default', ofEditor), ...editor.map((permission) => ({ permission }))],
      calls: [...examples(inShop), ...examples(inDefault)],
    },
    admin: { rootRole: 'Admin', grants: [{ permission: 'ADMIN' }], calls: examples(inPay) },
    owner: { role: 'owner', grants: grantsIn('shop', owner), calls: [...examples(inShop), ...examples(inPay)] },
    member: { role: 'member', grants: grantsIn('shop', member), calls: examples(inShop) },
    // These roles are of the other type, so they grant nothing.
    'root-role-in-project': { role: 'admin', grants: [], calls: examples(inShop) },
    'project-role-at-root': { rootRole: 'Owner', grants: [], calls: examples(inShop) },
    'all-that-nobody-asks': { rootRole: permitted(unasked), grants: [], calls: examples(inShop) },
    'admin-in-shop': {
      role: permitted(['ADMIN']),
      grants: grantsIn('shop', ['ADMIN']),
      calls: [...examples(inShop), ...examples(inPay)],
    },
    'admin-in-development': {
      rootRole: permitted(['ADMIN'], 'development'),
      grants: [{ permission: 'ADMIN', environment: 'development' }],
      calls: [...examples(inShop), ...examples(inDevelopment)],
    },
    'any-environment': {
      role: permitted(['UPDATE_FEATURE_ENVIRONMENT'], '*'),
      grants: grantsIn('shop', ['UPDATE_FEATURE_ENVIRONMENT']),
      calls: [...examples(inShop), ...examples(inDevelopment)],
    },
    'admin-of-own-role': {
      rootRole: permitted(['ADMIN']),
      grants: [{ permission: 'ADMIN' }],
      calls: [...examples(inShop), ...examples(inPay)],
    },
    // These three have every permission except ADMIN, in one scope: only the scope refuses them.
    'all-everywhere': {
      rootRole: permitted(all),
      grants: all.map((permission) => ({ permission })),
      calls: examples(inPay),
    },
    'all-in-shop': {
      role: permitted(all),
      grants: grantsIn('shop', all),
      calls: [...needing(inShop, ['root']), ...needing(inPay)],
    },
    'all-in-production': {
      role: permitted(all, 'production'),
      grants: grantsIn('shop', all).map((grant) => ({ ...grant, environment: 'production' })),
      calls: [...needing(inShop, ['project', 'environment']), ...needing(inDevelopment, ['environment'])],
    },
    ...Object.fromEntries(separating().map((set, index) => [`some-${index}`, havingOnly(set)])),
  };
}

const SETS = 6;

/**
 * Sets of permissions. Each permission is in three of them, and no two are in the same three: for any two permissions,
 * one set has the first and not the second. So if an endpoint allows exactly the users whose set has its permission, it
 * checks that permission and no other. ADMIN implies all others and is left out.
 */
export function separating(): readonly (readonly Need[])[] {
  const sets = Array.from({ length: SETS }, (_, index) => index);
  const triples = sets.flatMap((a) =>
    sets.slice(a + 1).flatMap((b) => sets.slice(b + 1).map((c): readonly number[] => [a, b, c])),
  );
  return sets.map((set) => askedButAdmin.filter((_, index) => triples[index]?.includes(set)));
}

/** A user who has each permission of the set in the narrowest scope in which endpoints need it. */
function havingOnly(set: readonly Need[]): Someone {
  const [project, environment] = ['shop', 'production'];
  const inScope = (wanted: Scope) => set.filter(([, scope]) => scope === wanted).map(([permission]) => permission);
  return {
    rootRole: permitted(inScope('root')),
    role: [...permitted(inScope('project')), ...permitted(inScope('environment'), environment)],
    grants: [
      ...inScope('root').map((permission) => ({ permission })),
      ...grantsIn(project, inScope('project')),
      ...grantsIn(project, inScope('environment')).map((grant) => ({ ...grant, environment })),
    ],
    calls: needing(inShop),
  };
}
