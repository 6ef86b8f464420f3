/** The endpoints about tokens that Unleash Edge calls. */
import { MAX_TOKENS, tokensToValidate, validTokens } from '../../../wire/client/shapes.ts';
import { clientRoute } from '../../route/client-route.ts';

export const edgeRoutes = [
  clientRoute({
    method: 'post',
    path: '/edge/validate',
    summary: 'Read the type, environment and projects of tokens.',
    description: `The request needs no token in a header: the body has the tokens, at most ${MAX_TOKENS}. The answer has those of them that are client or frontend tokens.`,
    errors: [],
    caller: 'anyone',
    isLimited: true,
    body: tokensToValidate,
    answer: 200,
    response: validTokens,
    async handle({ knownTokens }, { body, from, countRefused }) {
      const known = await knownTokens(body.tokens, { from: from(), countRefused });
      return { tokens: known.map(({ projects = ['*'], ...token }) => ({ ...token, projects })) };
    },
  }),
];
