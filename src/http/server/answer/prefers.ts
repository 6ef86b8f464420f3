/** Whether a caller prefers another type of content to JSON (RFC 9110 §12.5.1). */
import type { Request } from 'express';

const JSON_TYPE = 'application/json';
/** The Accept headers of most clients. None of them prefers another type. */
const WITHOUT_PREFERENCE = [undefined, JSON_TYPE, '*/*', 'application/json, text/plain, */*'];

export function prefers(request: Request, type: string): boolean {
  return !WITHOUT_PREFERENCE.includes(request.headers.accept) && request.accepts([JSON_TYPE, type]) === type;
}
