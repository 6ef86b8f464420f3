/** Extracts the file of a form (RFC 7578). */
import { finished, Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { Refusal } from '../../../errors.ts';
import { unreadable } from '../../../wire/check-values.ts';

const FIELD = 'file';
/** A form has one file, and further parts that browsers and tools add. */
const MAX_PARTS = 20;

export interface FormFile {
  readonly file: Buffer;
  /** The name that the client sent, or empty. */
  readonly name: string;
}

/** The whole form is in memory, so its length bounds every part. */
export function fileInForm(form: Buffer, contentType: string): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const files: FormFile[] = [];
    const refuse = (message: string) => reject(unreadable(message));
    const parser = startParser(contentType, form.length);
    parser.on('file', (field, stream, name) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => refuse('The form ended early.'));
      stream.on('end', () => field === FIELD && files.push({ file: Buffer.concat(chunks), name: name ?? '' }));
    });
    parser.on('partsLimit', () => refuse(`The form has more than ${MAX_PARTS} parts. Send the file alone.`));
    finished(parser, { readable: false }, (error) => {
      const [file, second] = files;
      if (error) refuse(`The form cannot be read: ${error.message.slice(0, 200)}.`);
      else if (second) refuse(`The form has several files named "${FIELD}". Send one at a time.`);
      else if (file) resolve(file);
      else refuse(`The form has no file named "${FIELD}".`);
    });
    Readable.from([form]).pipe(parser);
  });
}

function startParser(contentType: string, maxBytes: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Some clients send the file as a plain text field.
      isPartAFile: (field, type, name) => field === FIELD || name !== undefined || type === 'application/octet-stream',
      limits: { parts: MAX_PARTS, fileSize: maxBytes, fieldSize: maxBytes, headerPairs: 100 },
    });
  } catch {
    throw new Refusal(
      'unsupported-media-type',
      'The form has no boundary in its Content-Type, so its parts cannot be separated.',
    );
  }
}
