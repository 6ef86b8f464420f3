/** Generated from src/http/routes by `npm run generate`; do not edit. */

import type { FlagField } from './flag-field.ts';

export const flagFields: readonly FlagField[] = [
  {"name":"type","kind":"choice","hint":"What the flag is for; decides how long it should live. Absent: release.","choices":["release","experiment","operational","kill-switch","permission"]},
  {"name":"description","kind":"text","hint":"What the flag does, for people.","maxLength":4096},
  {"name":"impressionData","kind":"boolean","hint":"Clients report each evaluation. Absent: false."},
  {"name":"stale","kind":"boolean","hint":"The flag has done its work; remove it from the code. Absent: false."},
  {"name":"lifetimeDays","kind":"integer","hint":"How many days the flag is expected to live; then it is potentially stale. Absent: as its type says.","minimum":1,"maximum":3650},
];
