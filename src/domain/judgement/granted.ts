/** The grants of an object for its status. */

/** `nextAt`: when time alone changes the grants, in ms since 1970; undefined: never. */
export interface Granted<G> {
  readonly grants: G[];
  readonly nextAt: number | undefined;
}
