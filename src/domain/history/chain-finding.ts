/** What a verification of the chain finds. */

export type ChainProblem =
  | 'altered'
  | 'missing'
  | 'inserted'
  | 'link-missing'
  | 'link-broken'
  | 'retention-not-stated'
  | 'amendment-broken'
  | 'head-not-reached'
  | 'signature-wrong'
  | 'key-unknown'
  | 'not-signed'
  | 'cut-off'
  | 'segment-altered'
  | 'segment-missing'
  | 'segment-inserted';

export interface ChainFinding {
  readonly problem: ChainProblem;
  /** The number of the link; undefined: the row has none. */
  readonly n: number | undefined;
  /** In words, with the place of the row. */
  readonly message: string;
}
