/** The Kubernetes Events of the operator about objects, except those of the history. */

export interface EventContent {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, mostly the reason of a condition. */
  readonly reason: string;
  readonly note: string;
  /** Distinguishes repeated Events. Absent: the reason is published once for an object. */
  readonly occurrence?: string;
}
