/** The messages to and from the thread that parses a state document. */
import type { ErrorDetail, RefusalCode } from '../../errors.ts';
import type { StateDocument } from '../../wire/admin/state-input.ts';
import type { StateUpload } from './state-upload.ts';

export interface StateUploadWork<Port> {
  readonly upload: StateUpload;
  /** Receives the parts of the document; all of them arrive before the outcome. */
  readonly partsPort: Port;
}

export type StateUploadOutcome =
  | { readonly frame: StateDocument }
  | {
      readonly refusal: {
        readonly code: RefusalCode;
        readonly message: string;
        readonly details: readonly ErrorDetail[];
      };
    };
