/** The rules about calls. */
import { composedLogMessages, ownLoops, sleeps, untypedLocals } from './calls.ts';
import { type Rule, src } from './rule.ts';

export const rulesAboutCalls: Readonly<Record<string, Rule>> = {
  'log messages are constant': {
    find: composedLogMessages,
    breaches: [
      'logger.info({ a }, `flag $'.concat('{a} judged`);'),
      "logger.info({ a }, 'flag ' + a);",
      'logger.warn({ a }, message);',
      "logger.error('no facts');",
      "parts.logger.child({ a }).debug({ a }, a ? 'b' : 'c');",
      'this.requestLog.error({ err }, err.message);',
    ].map((text) => src('kube/a.ts', text)),
    innocent: [
      src(
        'kube/a.ts',
        'logger.info({ a: `b $'.concat("{c}` }, 'flag judged');\nlog.warn({}, `plain`);\nchart.info(a);"),
      ),
    ],
  },
  'the request context is typed': {
    find: untypedLocals,
    breaches: [
      "response.locals['caller'] = caller;",
      "const caller = response['locals'].caller;",
      'const { locals } = response;',
    ].map((text) => src('http/a.ts', text)),
    innocent: [src('http/a.ts', 'const locals = 1; localsOf(locals); const { caller } = contextOf(request);')],
  },
  'listeners are called by createListeners': {
    find: ownLoops,
    breaches: [
      'for (const listener of listeners) listener();',
      'for (const { receive } of listeners) { receive(change); }',
      'for (const { receive: go } of listeners) if (isOpen) go(change);',
      'listeners.forEach((listener) => listener(change));',
    ].map((text) => src('kube/a.ts', text)),
    innocent: [
      src('kube/a.ts', 'for (const resolve of waiting) resolve(); for (const stop of subscriptions) stop();'),
      src('kube/a.ts', 'for (const flag of flags) look(flag); for (const { wake } of loops) enqueue(wake);'),
      src('model/listeners.ts', 'for (const { receive } of listeners) receive(change);'),
      { 'test/a.test.ts': 'for (const go of steps) go();' },
    ],
  },
  'tests do not sleep': {
    find: sleeps,
    breaches: [
      'await new Promise((resolve) => setTimeout(resolve, 100));',
      'await new Promise<void>((done) => { setTimeout(() => done(), 100); });',
      "import { setTimeout as sleep } from 'node:timers/promises';",
      "import { scheduler } from 'timers/promises';",
    ].map((text) => ({ 'test/unit/a.test.ts': text })),
    innocent: [
      {
        'test/unit/a.test.ts':
          'await new Promise((resolve, reject) => { setTimeout(() => reject(new Error("late")), 100); on(resolve); });',
      },
      { 'test/unit/a.test.ts': 'setTimeout(kill, 100); await new Promise((resolve) => setImmediate(resolve));' },
    ],
  },
};
