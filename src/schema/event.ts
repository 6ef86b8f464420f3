/** The Kubernetes Events of the operator about objects, without those of the history. */

export interface News {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, mostly that of a condition. */
  readonly reason: string;
  readonly note: string;
  /** Which of several times this is. Absent: the reason is published once for an object. */
  readonly occurrence?: string;
}
