/** Which flag a page shows. */
export interface FeaturePlace {
  readonly projectId: string;
  readonly featureName: string;
}
