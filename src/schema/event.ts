/** What Kubernetes Events tell people of objects. */

export const eventTypes = {
  /** An environment has become a copy of another. */
  EnvironmentCloned: 'Normal',
  /** A clone was refused before anything of it was written. */
  CloneFailed: 'Warning',
  /** Another object asks for the name that an object holds. */
  DuplicateName: 'Warning',
} as const;

export type EventReason = keyof typeof eventTypes;

export interface News {
  readonly reason: EventReason;
  readonly note: string;
}
