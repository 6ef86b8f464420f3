/** MicroTime of the Kubernetes API: RFC 3339 with six digits. */

export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
