/** The deadline for the writes of one request. */
import type { BeforeSend } from '../../kube/api/transport.ts';

export interface RequestDeadline {
  /** Carries out one write, which awaits `beforeSend` immediately before each of its calls to the API server. */
  begin<R>(write: (beforeSend: BeforeSend) => Promise<R>): Promise<R>;
  /** Extends the deadline: an uploaded document is parsed and planned before its first write. */
  allowForUpload(): void;
}
