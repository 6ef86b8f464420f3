/** Reads a body that is a state document: JSON, YAML or a file in a form. */
import express from 'express';
import { AppError } from '../errors.ts';
import { JSON_TYPES, type ReadBody, readWith } from './body.ts';
import { mostValues } from './count-values.ts';
import { goneSignal } from './gone-signal.ts';
import { readStateUpload, type StateUpload } from './state-upload.ts';
import { readInThread } from './state-upload-thread.ts';
import { putTogether } from './wire/state-sections.ts';

export const YAML_TYPE = 'application/yaml';
export const FORM_TYPE = 'multipart/form-data';
/** Older names come first to some clients. */
const YAML_TYPES = [YAML_TYPE, 'text/yaml', 'application/x-yaml', 'text/x-yaml'];

/** As large as the bodies of all other endpoints are; a thread takes longer to start. */
const READ_IN_PLACE_BYTES = 100_000;

/** `limitBytes` counts what is left after decompression, a form as a whole. The body comes back parsed by its schema. */
export function uploadReader(limitBytes: number): ReadBody {
  const readAny = express.raw({ limit: limitBytes, type: () => true });
  const most = mostValues(limitBytes);
  return async (request, response) => {
    const type = request.is([...JSON_TYPES, ...YAML_TYPES, FORM_TYPE]);
    const { 'content-type': contentType = '' } = request.headers;
    if (type === false) throw wrongType(request.headers['content-type']);
    const bytes: Buffer = (await readWith(request, response, { read: readAny, limitBytes })) ?? Buffer.alloc(0);
    const upload = { bytes, format: formatOf(type ?? ''), contentType, mostValues: most };
    if (bytes.length <= READ_IN_PLACE_BYTES) return putTogether(await readStateUpload(upload));
    return readInThread(upload, goneSignal(response));
  };
}

function formatOf(type: string): StateUpload['format'] {
  if (type === FORM_TYPE) return 'form';
  return YAML_TYPES.includes(type) ? 'yaml' : 'json';
}

function wrongType(sent: string | undefined): AppError {
  const what = sent === undefined ? 'sent no body with a content type' : `sent ${JSON.stringify(sent.slice(0, 100))}`;
  return new AppError(
    'unsupported-media-type',
    `This endpoint takes a body of content type application/json, application/yaml or multipart/form-data. You ${what}.`,
  );
}
