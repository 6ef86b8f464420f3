/** What Kubernetes Events of the operator say about objects. Events of the history are not among them. */

export interface News {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, mostly that of a condition. */
  readonly reason: string;
  readonly note: string;
  /** Which of several times this is. Absent: the reason is published once for an object. */
  readonly occurrence?: string;
}
