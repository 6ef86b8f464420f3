/** What the thread that reads a state document is given, and what it answers. */
import type { ErrorCode, ErrorDetail } from '../errors.ts';
import type { StateUpload } from './state-upload.ts';
import type { StateSlices } from './state-upload-slices.ts';

export interface StateUploadWork<Port> {
  readonly upload: StateUpload;
  /** Takes the slices of the document, all of them before the outcome is sent. */
  readonly slicesPort: Port;
}

export type StateUploadOutcome =
  | Pick<StateSlices, 'frame'>
  | {
      readonly refusal: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly details: readonly ErrorDetail[];
      };
    };
