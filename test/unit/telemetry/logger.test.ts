/** The form of log lines, and what they never contain. */
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/errors.ts';
import { createLogger, type LoggerOptions } from '../../../src/telemetry/logger.ts';

function logged(level: LoggerOptions['level'] = 'debug') {
  const written: string[] = [];
  const logger = createLogger({ level, destination: { write: (line) => void written.push(line) } });
  return { logger, text: () => written.join(''), lines: () => written.map((line) => JSON.parse(line)) };
}

describe('a line', () => {
  test('is JSON with level, time in ISO 8601, the fields, and the message', () => {
    const { logger, text, lines } = logged();
    logger.info({ flag: 'new-checkout', count: 3 }, 'flag judged');
    expect(text()).toMatch(/^\{.*\}\n$/);
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        flag: 'new-checkout',
        count: 3,
        msg: 'flag judged',
      },
    ]);
  });

  test('has the fields of every child above it', () => {
    const { logger, lines } = logged();
    logger.child({ component: 'http' }).child({ requestId: 'r-1' }).warn({ status: 503 }, 'request refused');
    expect(lines()).toMatchObject([{ level: 'warn', component: 'http', requestId: 'r-1', status: 503 }]);
  });

  test('below the level is left out', () => {
    const { logger, lines } = logged('warn');
    logger.debug({}, 'one');
    logger.info({}, 'two');
    logger.warn({}, 'three');
    logger.error({}, 'four');
    expect(lines().map(({ msg }) => msg)).toEqual(['three', 'four']);
  });
});

describe('secrets', () => {
  const secret = '*:*.b6c1f0';

  test.each([
    ['authorization', { authorization: secret }],
    ['authorization of headers', { headers: { authorization: secret, accept: 'kept' } }],
    ['Authorization of a request', { request: { headers: { Authorization: secret } } }],
    ['cookie of a request', { req: { headers: { cookie: secret } } }],
    ['set-cookie of an answer', { res: { headers: { 'set-cookie': secret } } }],
    ['proxy-authorization', { headers: { 'proxy-authorization': secret } }],
    ['token', { token: secret }],
    ['token of a body', { body: { token: secret } }],
    ['token three levels down', { a: { b: { c: { token: secret } } } }],
    ['password', { user: { password: secret } }],
    ['secret', { data: { secret } }],
    ['adminToken', { config: { adminToken: secret } }],
    ['an environment variable', { environment: { VEXIL_ADMIN_TOKEN: secret } }],
    ['one in a list', { users: [{ password: secret }] }],
  ])('are never shown: %s', (_, facts) => {
    const { logger, text } = logged();
    const before = structuredClone(facts);
    logger.info(facts, 'on a line');
    logger.child(facts).info({}, 'on a child');
    expect(text()).not.toContain(secret);
    expect(text().match(/\[redacted\]/g)).toHaveLength(2);
    expect(facts).toEqual(before);
  });

  test('do not affect their neighbours', () => {
    const { logger, lines } = logged();
    logger.info({ headers: { authorization: secret, accept: '*/*' } }, 'request');
    expect(lines()[0].headers).toEqual({ authorization: '[redacted]', accept: '*/*' });
  });
});

describe('an error', () => {
  function libraryError() {
    return Object.assign(new Error('connection lost'), {
      code: 'ECONNRESET',
      request: { headers: { 'x-token': 'hidden-1' }, body: 'hidden-2' },
      response: { data: 'hidden-3' },
      headers: ['hidden-4'],
    });
  }

  test.each(['err', 'error', 'reason'])('under "%s" keeps type, message, code and stack and nothing else', (key) => {
    const { logger, text, lines } = logged();
    logger.error({ [key]: libraryError() }, 'call failed');
    logger.child({ [key]: libraryError() }).error({}, 'call failed');
    expect(text()).not.toContain('hidden');
    for (const line of lines()) {
      expect(line[key]).toEqual({
        type: 'Error',
        message: 'connection lost',
        code: 'ECONNRESET',
        stack: expect.stringContaining('logger.test.ts'),
      });
    }
  });

  test('of Vexil has its code, its details and its cause', () => {
    const { logger, text, lines } = logged();
    const details = [{ path: 'spec.type', message: 'type is "x"', body: 'hidden' }];
    logger.error({ err: new Refusal('unavailable', 'no answer', { details, cause: libraryError() }) }, 'call failed');
    expect(text()).not.toContain('hidden');
    expect(lines()[0].err).toMatchObject({
      type: 'Refusal',
      code: 'unavailable',
      details: [{ path: 'spec.type', message: 'type is "x"' }],
      cause: { message: 'connection lost', code: 'ECONNRESET' },
    });
  });

  test('that is its own cause is finite', () => {
    const { logger, text } = logged();
    const error = new Error('round and round');
    error.cause = error;
    logger.error({ err: error }, 'call failed');
    expect(text().match(/round and round/g)?.length).toBeLessThan(20);
  });

  test('with a cause that is no error does not show the cause', () => {
    const { logger, lines } = logged();
    logger.error({ err: new Error('a', { cause: { token: 'hidden' } }) }, 'call failed');
    logger.error({ err: new Error('b', { cause: 'no disk' }) }, 'call failed');
    expect(lines().map(({ err }) => err.cause)).toEqual(['a thrown object', 'no disk']);
  });

  test('with many errors has the first ten', () => {
    const { logger, lines } = logged();
    logger.error({ err: new AggregateError(Array.from({ length: 50 }, libraryError), 'all failed') }, 'call failed');
    expect(lines()[0].err.errors).toHaveLength(10);
    expect(lines()[0].err.errors[0]).toMatchObject({ message: 'connection lost', code: 'ECONNRESET' });
  });
});
