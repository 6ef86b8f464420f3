/** The permissions that each endpoint of the table needs. */
import { endpoints } from './endpoints/endpoints.ts';
import { type Need, SIGNED_IN } from './endpoints/row.ts';

/** The needs of each route; none if every user who is signed in may call it. */
export const needs: ReadonlyMap<string, readonly Need[]> = new Map(
  endpoints.flatMap(({ route, need, alsoNeeds = [] }): (readonly [string, readonly Need[]])[] => {
    if (need === undefined) return [];
    if (need === SIGNED_IN) return [[route, []]];
    return [[route, [need, ...alsoNeeds.map((permission): Need => [permission, need[1]])]]];
  }),
);
/** Each need once. */
export const asked = [...new Map([...needs.values()].flat())];

export function isNeeding(route: string): boolean {
  return (needs.get(route) ?? []).length > 0;
}
