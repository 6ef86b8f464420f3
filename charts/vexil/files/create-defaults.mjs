// Creates the default objects of a new instance once: the ConfigMap vexil-defaults records that. Objects whose wire names
// exist already stay unchanged. The Job runs as the operator, whose stamps of authors are trusted.
import { readFileSync } from 'node:fs';
import { env, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

const { NAMESPACE, OBJECTS, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
const folder = env.SERVICE_ACCOUNT_FOLDER ?? '/var/run/secrets/kubernetes.io/serviceaccount';
const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
const marks = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const mark = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'vexil-defaults' } };
// The API server serves new kinds, and evaluates new admission policies, some seconds after they are created.
const giveUpAt = Date.now() + 120_000;

const say = (text) => stdout.write(`${text}\n`);

class Refused extends Error {}

async function call(method, path, body) {
  const headers = {
    authorization: `Bearer ${readFileSync(`${folder}/token`, 'utf8')}`,
    'content-type': 'application/json',
  };
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(server + path, { method, headers, signal, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (response.ok || response.status === 409) return { status: response.status, answer: JSON.parse(text) };
  const message = `${method} ${path}: ${response.status} ${text.slice(0, 1_000).trim()}`;
  // A retry does not solve these errors.
  throw [400, 401, 413, 415, 422].includes(response.status) ? new Refused(message) : new Error(message);
}

async function untilDone(step) {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (error instanceof Refused || Date.now() > giveUpAt) throw error;
      say(`not yet: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
      await pause(1_000);
    }
  }
}

async function createUnlessThere({ kind, plural, name, spec }) {
  const path = `/apis/vexil.dev/v1beta1/namespaces/${NAMESPACE}/${plural}`;
  const { answer: list } = await call('GET', path);
  if (list.items.some(({ metadata, spec }) => (spec?.name ?? metadata.name) === name)) return 'is there already';
  const annotations = {
    'vexil.dev/created-by': 'vexil-chart',
    'vexil.dev/changed-by': 'vexil-chart',
    'vexil.dev/changed-generation': '1',
  };
  const object = { apiVersion: 'vexil.dev/v1beta1', kind, metadata: { name, annotations }, spec };
  const { status } = await call('POST', `${path}?fieldManager=vexil-chart`, object);
  return status === 409 ? 'is there already' : 'created';
}

// The operator may create ConfigMaps, but not read them: a conflict shows that this one exists.
const { status } = await untilDone(() => call('POST', `${marks}?dryRun=All`, mark));
if (status === 409) {
  say('The ConfigMap vexil-defaults says that this was done before.');
} else {
  for (const object of JSON.parse(OBJECTS)) {
    const what = await untilDone(() => createUnlessThere(object));
    say(`${object.kind} ${object.name}: ${what}`);
  }
  await untilDone(() => call('POST', marks, mark));
}
