/** /context: the fields that constraints can name. */
import { z } from 'zod';
import { signedIn } from '../../access/authorization/requirements.ts';
import { Refusal } from '../../errors.ts';
import { presentContextField, wireContextField } from '../../wire/admin/context-field.ts';
import { type RouteServices, route } from '../route/route.ts';

const fieldPath = z.object({
  contextField: z.string().meta({ description: 'The name of the field.', examples: ['userId'] }),
});

const present = ({ contextFields }: RouteServices) => contextFields.map(presentContextField);

export const contextRoutes = [
  route({
    method: 'get',
    path: '/context',
    summary: 'List the context fields.',
    description:
      'The built-in fields, then those of the setting `VEXIL_CONTEXT_FIELDS`. The list is a help for people: constraints may name any field, and may have values that a field does not list. Writes answer 403, and the message names the setting.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: z.array(wireContextField).meta({ id: 'ContextFields' }),
    handle: present,
  }),
  route({
    method: 'get',
    path: '/context/:contextField',
    summary: 'Read a context field.',
    errors: ['not-found'],
    requires: signedIn,
    params: fieldPath,
    answer: 200,
    response: wireContextField,
    handle: (services, { params }) => {
      const found = present(services).find(({ name }) => name === params.contextField);
      if (found) return found;
      throw new Refusal('not-found', `Could not find Context field with name ${params.contextField}.`);
    },
  }),
];
