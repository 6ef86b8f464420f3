/** The instructions that are read from a Dockerfile, for building the same image without an engine. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readDockerfile } from '../../../scripts/image/read-dockerfile.ts';

const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
const VALUE = '$'.concat('{V}');
const HEAD = 'FROM a AS build\nRUN make\nFROM b\n';

test('the Dockerfile of this project makes an image without a named user, with only Node.js and the build', () => {
  expect(readDockerfile(dockerfile, { VERSION: '1.2.3', REVISION: 'abc' })).toEqual({
    files: [
      { source: 'node_modules/.bin/node', target: '/usr/local/bin/node' },
      { source: 'dist', target: '/app' },
    ],
    environment: ['NODE_ENV=production', 'MALLOC_ARENA_MAX=2'],
    labels: expect.arrayContaining([
      'org.opencontainers.image.title=vexil',
      'org.opencontainers.image.licenses=Apache-2.0',
      'org.opencontainers.image.version=1.2.3',
      'org.opencontainers.image.revision=abc',
    ]),
    ports: ['4242', '8081'],
    workdir: '/app',
    user: '65532:65532',
    entrypoint: ['/usr/local/bin/node', '--max-semi-space-size=8'],
    command: ['/app/main.js'],
  });
});

describe('the plan of the last stage', () => {
  test.each<[string, string, object]>([
    ['only that stage counts', 'ENV A=1', { environment: ['A=1'], files: [] }],
    ['a comment, also one between lines that go on', 'ENV A=1 \\\n# why\n  B="b c"', { environment: ['A=1', 'B=b c'] }],
    ['the value of an argument where none is given', `ARG V=7\nLABEL a="${VALUE}"`, { labels: ['a=7'] }],
    ['an argument without a value is empty', `ARG V\nLABEL a=x${VALUE}`, { labels: ['a=x'] }],
    ['the last of what can be there once', 'USER 1\nUSER 2', { user: '2' }],
    ['libraries, which a copied program finds by itself', 'COPY --from=build /libraries /usr/lib', { files: [] }],
  ])('%s', (_, stage, want) => {
    expect(readDockerfile(HEAD + stage)).toMatchObject(want);
  });

  test.each([
    ['a program that runs', 'RUN rm -r /', 'has RUN, which has no meaning here'],
    [
      'a file from elsewhere',
      'COPY --from=build /etc/passwd /etc/passwd',
      'has "COPY --from=build /etc/passwd /etc/passwd"',
    ],
    ['a file of the context', 'COPY a /b', 'has "COPY a /b"'],
    ['an option of a copy', 'COPY --from=build --chmod=755 /src/a /b', 'has "COPY --from=build --chmod=755 /src/a /b"'],
    ['several sources', 'COPY --from=build /src/a /src/b /c', 'has "COPY --from=build /src/a /src/b /c"'],
  ])('%s is refused', (_, stage, complaint) => {
    expect(() => readDockerfile(HEAD + stage)).toThrow(complaint);
  });
});
