/** Parses a state document from the bytes of a body: JSON, YAML or a file in a form, with bounded values. */

import type { ErrorDetail, RefusalCode } from '../../../errors.ts';
import type { StateDocument } from '../../../wire/admin/state/state-input.ts';
import {
  type DocumentPieces,
  parseStateDocument,
  piecesOf,
  type StateRows,
} from '../../../wire/admin/state/state-sections.ts';
import { checked } from '../../../wire/check-values.ts';
import { refuseManyInJson, refuseManySignsInYaml } from './count-values.ts';
import { decodeBody } from './decode-body.ts';
import { fileInForm } from './form-file.ts';
import { piecesOfJson } from './pieces-of-json.ts';
import { parseYaml } from './yaml-document.ts';

/** Plain data, so that it can be sent to another thread. */
export interface StateUpload {
  readonly bytes: Uint8Array;
  readonly format: 'json' | 'yaml' | 'form';
  /** The Content-Type header, which contains the boundary of a form. */
  readonly contentType: string;
  /** The maximum number of values in the document. */
  readonly maxValues: number;
}

/** Returns the document with empty sections, and passes on its rows. */
export async function readStateUpload(upload: StateUpload, passOn: (part: StateRows) => void): Promise<StateDocument> {
  return parseStateDocument(await piecesIn(upload), passOn);
}

async function piecesIn({ bytes, format, contentType, maxValues }: StateUpload): Promise<DocumentPieces> {
  if (format === 'form') {
    const { file, name } = await fileInForm(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), contentType);
    return /\.ya?ml$/i.test(name) ? yamlIn(file, maxValues) : jsonIn(file, maxValues);
  }
  return format === 'yaml' ? yamlIn(bytes, maxValues) : jsonIn(bytes, maxValues);
}

function yamlIn(bytes: Uint8Array, maxValues: number): DocumentPieces {
  refuseManySignsInYaml(bytes, maxValues);
  return piecesOf(checked(parseYaml(decodeBody(bytes), maxValues)));
}

function jsonIn(bytes: Uint8Array, maxValues: number): DocumentPieces {
  refuseManyInJson(bytes, maxValues);
  return piecesOfJson(bytes);
}

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
