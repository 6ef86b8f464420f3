/** Judges an answer by the API document: whether the request was valid, and which answers it may have. */
import type { Answer } from './caller.ts';
import { isPatch } from './cases.ts';
import type { Resolved } from './resolve.ts';

/** Reasons why a body that fits its schema may be refused with 400: rules that JSON Schema cannot express. */
const allowed: readonly {
  readonly says: RegExp;
  readonly because: string;
  readonly ofPatch?: boolean;
  /** Of a path that ends so; absent: of all. */
  readonly of?: string;
}[] = [
  {
    says: /variants? (with|must)|variants with weightType|needs a (name|weight)/,
    because: 'rules of a list of variants',
  },
  { says: /type json needs a value that parses/, because: 'a payload says of itself that it is JSON' },
  {
    says: /the operators? \S+ need|the operators IN, NOT_IN|contextName must have no|error parsing regexp/,
    because: 'each operator has operands of its kind',
  },
  {
    says: /no SDK applies decimals|should match '\^\(\[/,
    because: 'new values must be such that SDKs agree about them',
  },
  { says: /Could not find strategy type/, because: 'there are only so many strategy types' },
  { says: /names the strategy .* more than once/, because: 'a strategy has one place in the order' },
  { says: /You have not added the current environment/, because: 'the project must use the environment' },
  { says: /`parameters\.stickiness` property must not be empty/, because: 'a change may not empty the stickiness' },
  { says: /requires the parameter/, because: 'a strategy type may require parameters' },
  { says: /name is that of a built-in strategy type/, because: 'nor may a name differ from those in case only' },
  { says: /Duplicate value/, because: 'each parameter of a strategy type has a name of its own' },
  { says: /Cannot change the name of a (flag|segment|strategy type)/, because: 'names are immutable' },
  { says: /must be 1 to 100 printable characters/, because: 'no pattern of the document says what is printable' },
  { says: /does not match the naming pattern/, because: 'the project has a naming pattern' },
  { says: /example must match pattern/, because: 'the example of a naming pattern must match it' },
  { says: /is archived/, because: 'an archived flag is changed by nobody' },
  { says: /Too many: \d+: must have at most/, because: 'what is there already counts too' },
  {
    says: /half of a surrogate pair|has a member named|beyond what can be stored/,
    because: 'JSON can write what nothing can hold',
  },
  {
    says: /each step but the last needs for|can have a ramp|the action skip needs|must be a step of the ramp/,
    because: 'rules of a ramp',
  },
  {
    says: /property must be string\. You sent \[/,
    because: 'any parameter may be a field of the context, and comes once',
  },
  { says: /nested deeper than 64 levels/, because: 'the depth of a body is bounded' },
  {
    says: /there is no such day|a time that exists|of type date-time|after activeFrom|must be the id of a user/,
    because: 'a value may have the form of what it is not',
  },
  {
    says: /the values are|it must be (from|one of)|each (value )?must be (the name of an environment|one of)|must be one of asc, desc/,
    because: 'a query may have the form of what it is not',
  },
  {
    says: /asks for \d+ (combinations|evaluations)|has more than \d+ (values|characters)/,
    because: 'evaluations and their contexts are bounded',
  },
  { says: /must be a regular expression that RE2 accepts/, because: 'a text may be a pattern that is none' },
  { says: /a tag is type:value/, because: 'a tag has a type before its colon' },
  { says: /must not be larger than \d+ \(string\)/, because: 'a text may be counted otherwise' },
  {
    says: /The history has (complete|no) versions|in the future: name a time|outside of leap seconds/,
    because: 'only times that have passed since versions were kept are known',
  },
  { says: /cannot be copied to itself/, because: 'a copy has another source', of: '/copy' },
  {
    says: /is the id of strategies of several flags/,
    because: 'an id may be that of several',
    of: '/segments/strategies',
  },
  { says: / had the uid /, because: 'the body may name another object of the past', of: '/restore' },
  { says: /must not be smaller than 1 \(string\)/, because: 'a query may name nothing' },
  {
    says: /must be the (id|name) of|is there more than once|has the unknown strategy type|must be false: the flag has|is required by the/,
    because: 'what a state document names must be there, once',
  },
  { says: /needs an environment|`featureTags\[\d+\]/, because: 'rules of a state document' },
  {
    says: /must have (features, tag or project|a flag if the query)|must be an environment of the project/,
    because: 'what is exported must be chosen, and what is imported must have a place',
  },
  { says: /Nothing was imported/, because: 'the API server has rules for what a state document makes of a flag' },
  { says: /Could not find environment with name/, because: 'a query may name what there is not' },
  {
    says: /names no field of this flag|needs no hand-over/,
    because: 'what is handed over must be there, and held by a tool',
  },
  {
    says: /The `[A-Za-z]+\[\d+\]/,
    because: 'the rows of an export are checked as those of a state document',
    of: '/features-batch/import',
  },
  {
    says: /is not the next of an answer|cannot be forgotten/,
    because: 'a work goes on where it stopped, and some names are no person',
    of: '/history/forget',
  },
  { says: /Could not apply provided patch/, because: 'a patch may not lead where it points', ofPatch: true },
  { says: /^Request validation failed/, because: 'what a patch makes must fit as well', ofPatch: true },
];

const BODY_LIMIT_BYTES = 100_000;
const CONTEXT_LIMIT_BYTES = 65_536;
const CALLER = ['environment', 'key'];

/**
 * Returns the complaints about an answer; none if it is right. The promises that the document makes for every answer
 * are checked elsewhere.
 */
export function complaintsOf(sent: Resolved, { status, text }: Answer): string[] {
  if (status >= 500) return isHistoryBehind(text) ? [] : [`answers ${status}`];
  if (sent.breach) return aboutBreach(sent, status);
  if (status < 300) return unless(sent.match !== 'stale', 'does what If-Match forbids');
  return refusals[status]?.(sent, text) ?? [];
}

/** The history may be a moment behind the present state, which a diff up to now compares with. */
function isHistoryBehind(text: string): boolean {
  return text.includes('"UnavailableError"') && text.includes('are not in the history yet. Ask again in a second');
}

type Complaints = (sent: Resolved, text: string) => string[];

/** Checks of refusals of requests that are valid by the document. */
const refusals: Readonly<Record<number, Complaints>> = {
  400: (sent, text) =>
    unless(isAllowed(sent, text), 'refuses with 400 what its schema allows, for a reason that is not known'),
  409: (_, text) => unless(!text.includes('"ConcurrentUpdateError"'), 'meets a conflict where nobody else writes'),
  412: ({ match }) => unless(match === 'stale', 'answers 412 to who has the present version, or asked for none'),
  413: ({ request, operation }) => {
    const limit = /^\/(api\/frontend|ofrep)\//.test(`${operation.template}/`) ? CONTEXT_LIMIT_BYTES : BODY_LIMIT_BYTES;
    return unless(Buffer.byteLength(request.text ?? '') > limit, 'answers 413 to a body within the limit');
  },
  415: (sent) => unless(!isPlain(sent), 'answers 415 to plain JSON'),
};

function unless(holds: boolean, complaint: string): string[] {
  return holds ? [] : [complaint];
}

/**
 * A request that is invalid by the document is never carried out, and the answer names the problem. If the document has
 * no such answer, as for reports of SDKs, the body may be anything.
 */
function aboutBreach(sent: Resolved, status: number): string[] {
  const { breach, operation } = sent;
  if (breach === 'body' && !operation.statuses.includes(400)) return [];
  const wanted = { path: [400], query: [400], 'content type': [415], body: [400, 413] }[breach ?? 'path'];
  return [...wanted, ...whatComesBefore(sent)].includes(status)
    ? []
    : [`answers ${status} though its document refuses the ${breach}`];
}

/** The statuses of checks that run before the check of the invalid part. */
function whatComesBefore({ breach, request, operation, path }: Resolved): readonly number[] {
  const { 'Content-Type': type = '', 'Content-Encoding': packing } = request.headers;
  if (breach === 'query') {
    // An empty name at the end leads to no endpoint. Without authentication, the environment or the key in the query
    // identifies the caller.
    const mayBeMissing = path.endsWith('/') || operation.parameters.some(({ name }) => CALLER.includes(name));
    return mayBeMissing ? [404] : [];
  }
  // The server does not read the body without a content type.
  if (breach === 'content type') return request.text === undefined ? [400] : [];
  return breach === 'body' && (packing !== undefined || /charset/.test(type)) ? [415] : [];
}

function isAllowed({ operation, request }: Resolved, text: string): boolean {
  if (request.headers['Content-Encoding'] !== undefined) return true;
  const { message } = JSON.parse(text) as { message: string };
  return allowed.some(
    ({ says, ofPatch, of = '' }) =>
      says.test(message) && (!ofPatch || isPatch(operation)) && operation.template.endsWith(of),
  );
}

function isPlain({ request }: Resolved): boolean {
  const { 'Content-Type': type = '', 'Content-Encoding': packing } = request.headers;
  return packing === undefined && !/charset=(?!utf-8)/.test(type);
}
