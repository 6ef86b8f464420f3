/** What the thread that reads a state document is given, and what it answers. */
import type { ErrorCode, ErrorDetail } from '../errors.ts';
import type { StateUpload } from './state-upload.ts';
import type { StateParts } from './wire/state-sections.ts';

export interface StateUploadWork<Port> {
  readonly upload: StateUpload;
  /** Takes the parts of the document, all of them before the outcome is sent. */
  readonly partsPort: Port;
}

export type StateUploadOutcome =
  | Pick<StateParts, 'frame'>
  | {
      readonly refusal: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly details: readonly ErrorDetail[];
      };
    };
