/** Reads a state document from a request: JSON, YAML or a file in a form. */
import express, { type Request, type Response } from 'express';
import { isRefusal } from '../../../errors.ts';
import type { StateDocument } from '../../../wire/admin/state/state-input.ts';
import { addRows, type StateRows } from '../../../wire/admin/state/state-sections.ts';
import { goneSignal } from '../gone-signal.ts';
import { JSON_TYPES, type ReadBody, readWith, wrongContentType } from './body.ts';
import { maxValuesFor } from './count-values.ts';
import { beyondMemory, type Memory, memoryLeft, readableWithin } from './memory-left.ts';
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
  const maxValues = maxValuesFor(limitBytes);
  return async (request, response) => {
    const type = request.is([...JSON_TYPES, ...YAML_TYPES, FORM_TYPE]);
    const { 'content-type': contentType = '' } = request.headers;
    if (type === false) throw wrongContentType(request, 'application/json, application/yaml or multipart/form-data');
    const bytes = await readWithinMemory(request, response, { limitBytes, left: memoryLeft(memory()) });
    const upload = { bytes, format: formatOf(type ?? ''), contentType, maxValues };
    if (bytes.length <= READ_IN_PLACE_BYTES) return readInPlace(upload);
    return readInThread(upload, { bytesLeft: memoryLeft(memory()), signal: goneSignal(response) });
  };
}

async function readInPlace(upload: StateUpload): Promise<StateDocument> {
  const parts: StateRows[] = [];
  const document = await readStateUpload(upload, (part) => void parts.push(part));
  for (const part of parts) addRows(document, part);
  return document;
}

interface UploadBounds {
  readonly limitBytes: number;
  /** The memory that is left, in bytes. */
  readonly left: number;
}

/** Refuses a body that, decompressed, is larger than the limit or needs more memory than is left. */
async function readWithinMemory(request: Request, response: Response, { limitBytes, left }: UploadBounds) {
  const readable = Math.max(READ_IN_PLACE_BYTES, readableWithin(left));
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > readable && length <= limitBytes) throw beyondMemory(left);
  const limit = Math.min(limitBytes, readable);
  try {
    const read = express.raw({ limit, type: () => true });
    const body: Buffer | undefined = await readWith(request, response, { read, limitBytes });
    return body ?? Buffer.alloc(0);
  } catch (error) {
    const isBeyondMemory = limit < limitBytes && length <= limitBytes && isRefusal(error, 'too-large');
    throw isBeyondMemory ? beyondMemory(left) : error;
  }
}

function formatOf(type: string): StateUpload['format'] {
  if (type === FORM_TYPE) return 'form';
  return YAML_TYPES.includes(type) ? 'yaml' : 'json';
}
