/** Reads a state document from a request: JSON, YAML or a file in a form. */
import express from 'express';
import { Refusal } from '../../errors.ts';
import { putTogether } from '../../wire/admin/state-sections.ts';
import { JSON_TYPES, type ReadBody, readWith } from './body.ts';
import { maxValuesFor } from './count-values.ts';
import { goneSignal } from './gone-signal.ts';
import { type Memory, refuseBeyondMemory } from './memory-left.ts';
import { readStateUpload, type StateUpload } from './state-upload.ts';
import { readInThread } from './state-upload-thread.ts';

export const YAML_TYPE = 'application/yaml';
export const FORM_TYPE = 'multipart/form-data';
/** Some clients send older names. */
const YAML_TYPES = [YAML_TYPE, 'text/yaml', 'application/x-yaml', 'text/x-yaml'];

/** The limit of other endpoints. For smaller bodies, starting a thread takes longer than parsing. */
const READ_IN_PLACE_BYTES = 100_000;

export interface UploadLimits {
  /** After decompression, for a form as a whole. */
  readonly importLimitBytes: number;
  readonly memory: () => Memory;
}

/** The returned body is parsed by its schema. */
export function uploadReader({ importLimitBytes: limitBytes, memory }: UploadLimits): ReadBody {
  const readAny = express.raw({ limit: limitBytes, type: () => true });
  const maxValues = maxValuesFor(limitBytes);
  return async (request, response) => {
    const type = request.is([...JSON_TYPES, ...YAML_TYPES, FORM_TYPE]);
    const { 'content-type': contentType = '', 'content-length': length = '0' } = request.headers;
    if (type === false) throw wrongType(request.headers['content-type']);
    if (Number(length) > READ_IN_PLACE_BYTES) refuseBeyondMemory(Number(length), memory());
    const bytes: Buffer = (await readWith(request, response, { read: readAny, limitBytes })) ?? Buffer.alloc(0);
    const upload = { bytes, format: formatOf(type ?? ''), contentType, maxValues };
    if (bytes.length <= READ_IN_PLACE_BYTES) return putTogether(await readStateUpload(upload));
    // A compressed body is larger than announced.
    const bytesLeft = refuseBeyondMemory(bytes.length, memory());
    return readInThread(upload, { bytesLeft, signal: goneSignal(response) });
  };
}

function formatOf(type: string): StateUpload['format'] {
  if (type === FORM_TYPE) return 'form';
  return YAML_TYPES.includes(type) ? 'yaml' : 'json';
}

function wrongType(sent: string | undefined): Refusal {
  const described =
    sent === undefined ? 'sent no body with a content type' : `sent ${JSON.stringify(sent.slice(0, 100))}`;
  return new Refusal(
    'unsupported-media-type',
    `This endpoint takes a body of content type application/json, application/yaml or multipart/form-data. You ${described}.`,
  );
}
