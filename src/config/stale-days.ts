/** The setting of the days after which the use of a flag is evidence, by type. */
import { z } from 'zod';
import { fact } from './fact.ts';

const defaults = { release: 30, experiment: 30, operational: 30, 'kill-switch': 90, permission: 90 };
const types = Object.keys(defaults).join('|');
const defaultText = Object.entries(defaults)
  .map(([type, days]) => `${type}=${days}`)
  .join(',');

const ENTRY = new RegExp(`^(${types})=([1-9]\\d{0,3})$`);
const MAX_DAYS = 3650;

const staleDays = z
  .string()
  .transform((list) => list.split(',').map((entry) => ENTRY.exec(entry.trim())))
  .refine((entries) => entries.every((entry) => entry !== null && Number(entry[2]) <= MAX_DAYS))
  .refine((entries) => new Set(entries.map((entry) => entry?.[1])).size === entries.length)
  .transform((entries) => ({
    ...defaults,
    ...Object.fromEntries(entries.map((entry) => [entry?.[1], Number(entry?.[2])])),
  }));

export const staleSettings = {
  VEXIL_STALE_DAYS: fact(staleDays.default(defaults), {
    description:
      'The days without a request, or with only one answer, after which a flag is reported as removable. `spec.lifetimeDays` of a flag overrides the days of its type. Vexil never changes a flag because of it.',
    allowed: `days from 1 to ${MAX_DAYS} for some types, separated by commas; the others keep theirs`,
    defaultText,
    example: 'release=60,experiment=14',
  }),
};
