/** Specs of environments with freezes, at both sides of each rule, pattern and bound. */
import { fits, long, many, refused } from './spec-row.ts';

const once = { name: 'summit', from: '2026-12-20T00:00:00Z', until: '2027-01-03T00:00:00+01:00' };
const weekly = { name: 'nights', days: ['Mon', 'Tue'], from: '18:00', until: '08:00' };
const having = (...freezes: object[]) => ({ freezes });

export const freezeRows = [
  fits('no freezes', { freezes: [] }),
  fits('freezes: null', { freezes: null }),
  fits('a freeze that comes once', having(once)),
  fits(
    'a weekly freeze with everything',
    having({ ...weekly, timeZone: 'Europe/Berlin', firstDay: '2026-12-01', reason: '', ramps: 'Pause' }),
  ),
  fits('a weekly freeze that lets ramps continue has no first day', having({ ...weekly, ramps: 'Continue' })),
  fits('a freeze that comes once and pauses ramps', having({ ...once, ramps: 'Pause' })),
  fits('a weekly freeze up to midnight', having({ ...weekly, from: '00:00', until: '24:00' })),
  fits('a time zone that does not exist: it is judged', having({ ...weekly, timeZone: 'Mars/Olympus' })),
  fits('twenty freezes', { freezes: many(20, (n) => ({ ...once, name: `f${n}` })) }),
  refused('too many freezes', { freezes: many(21, (n) => ({ ...once, name: `f${n}` })) }, ['spec.freezes', '20']),
  refused('two of a name', having(once, { ...weekly, name: 'summit' }), ['spec.freezes', 'a name of its own']),
  refused('no name', having({ from: once.from, until: once.until }), ['spec.freezes[0].name', 'Required']),
  refused('a name that is no DNS label', having({ ...once, name: 'Summit' }), ['spec.freezes[0].name', 'should match']),
  refused('no end', having({ name: 'summit', from: once.from }), ['spec.freezes[0].until', 'Required']),
  refused('an end before the start', having({ ...once, until: once.from }), ['spec.freezes[0].until', 'after from']),
  refused('a time without a zone', having({ ...once, from: '2026-12-20T00:00:00' }), [
    'spec.freezes[0].from',
    'should match',
  ]),
  refused('no such hour', having({ ...weekly, from: '24:00' }), ['spec.freezes[0].from', 'should match']),
  refused('no day', having({ ...weekly, days: [] }), ['spec.freezes[0]', 'at least one']),
  refused('no such day', having({ ...weekly, days: ['Monday'] }), ['spec.freezes[0].days[0]', 'Unsupported']),
  refused('times of day without days', having({ ...weekly, days: undefined }), ['spec.freezes[0]', 'with days']),
  refused('days with dates', having({ ...once, days: ['Mon'] }), ['spec.freezes[0]', 'with days']),
  refused('a date with a time zone', having({ ...once, timeZone: 'UTC' }), ['spec.freezes[0]', 'no timeZone']),
  refused('a date with a first day', having({ ...once, firstDay: '2026-12-01' }), ['spec.freezes[0]', 'no firstDay']),
  refused('ramps paused every week without a first day', having({ ...weekly, ramps: 'Pause' }), [
    'spec.freezes[0]',
    'needs firstDay',
  ]),
  refused('a first day with a time', having({ ...weekly, firstDay: '2026-12-01T00:00:00Z' }), [
    'spec.freezes[0].firstDay',
    '10',
  ]),
  refused('a first day that is none', having({ ...weekly, firstDay: '2026-13-01' }), [
    'spec.freezes[0].firstDay',
    'should match',
  ]),
  refused('a first day that does not exist', having({ ...weekly, firstDay: '2026-02-30' }), [
    'spec.freezes[0]',
    'firstDay',
  ]),
  refused('an end on a day that does not exist', having({ ...once, until: '2027-02-30T00:00:00Z' }), [
    'spec.freezes[0]',
    'until',
  ]),
  refused('a time zone with spaces', having({ ...weekly, timeZone: 'a b' }), [
    'spec.freezes[0].timeZone',
    'should match',
  ]),
  refused('a reason too long', having({ ...once, reason: long(301) }), ['spec.freezes[0].reason', '300']),
  refused('another word for ramps', having({ ...once, ramps: 'pause' }), ['spec.freezes[0].ramps', 'Unsupported']),
];
