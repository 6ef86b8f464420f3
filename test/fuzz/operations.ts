/** The operations of an API document: the parts of each request, and the documented answers. */
import { EVENTS_TYPE } from '../../src/http/server/answer/event-stream.ts';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  /** The method in capitals. */
  readonly method: string;
  /** The path from the root, such as `/api/admin/projects/{projectId}`. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  /** The schema of the body; undefined if the operation takes none. */
  readonly body: Schema | undefined;
  /** The properties of a body that have an effect. */
  readonly takes: readonly string[];
  /** Whether the body is read whatever its content type. */
  readonly anyContentType: boolean;
  /** Every status that is documented. */
  readonly statuses: readonly number[];
  /** The schema of a successful answer; undefined if it has no body. */
  readonly answer: Schema | undefined;
  /** Whether the same path has a GET. */
  readonly hasGet: boolean;
  /** Whether a successful answer is a stream of server-sent events, which does not end. */
  readonly streams: boolean;
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Described {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Reference {
  readonly $ref: string;
}

/** The other operations are called by SDKs, and change nothing that can be read back. */
export function isOfAdminApi({ template }: Pick<Operation, 'template'>): boolean {
  return template.startsWith('/api/admin/');
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Components;
}

export function operationsOf({ paths, components }: ApiDocument): Operation[] {
  const parameterOf = (one: Parameter | Reference) =>
    '$ref' in one ? (referredTo(components, one.$ref) as Parameter) : one;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const content = described.requestBody?.content;
      const body = content?.['application/json']?.schema;
      const answered = successOf(described)?.content ?? {};
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        template,
        parameters: described.parameters.map(parameterOf),
        body,
        takes: propertiesOf(components, body),
        anyContentType: content?.['*/*'] !== undefined,
        statuses: Object.keys(described.responses).map(Number),
        answer: Object.values(answered)[0]?.schema,
        hasGet: 'get' in methods,
        streams: EVENTS_TYPE in answered,
      };
    }),
  );
}

function successOf({ responses }: Described): Answer | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
}

function propertiesOf(components: Components, schema: Schema = {}): string[] {
  const { $ref } = schema;
  const { properties = {} } = (typeof $ref === 'string' ? referredTo(components, $ref) : schema) as {
    properties?: object;
  };
  return Object.keys(properties);
}

/** The component that `#/components/<kind>/<name>` refers to. */
export function referredTo(components: Components, reference: string): unknown {
  const [, , kind = '', name = ''] = reference.split('/');
  return components[kind]?.[name];
}
