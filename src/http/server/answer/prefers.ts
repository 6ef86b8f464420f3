/** Whether a caller prefers another type of content to JSON (RFC 9110 §12.5.1). */
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

const JSON_TYPE = 'application/json';
/** Clients send only few different headers, and short ones. */
const MAX_LENGTH = 200;
const preferred = new LRUCache<string, boolean>({ max: 1000 });

export function prefers(request: Request, type: string): boolean {
  const { accept } = request.headers;
  if (accept === undefined || accept === JSON_TYPE) return false;
  if (accept.length > MAX_LENGTH) return isPreferred(request, type);
  const key = `${type} ${accept}`;
  const known = preferred.get(key) ?? isPreferred(request, type);
  preferred.set(key, known);
  return known;
}

function isPreferred(request: Request, type: string): boolean {
  return request.accepts([JSON_TYPE, type]) === type;
}
