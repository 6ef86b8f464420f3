/** The code that connects an application, by its SDK (docs/sdk.md). */

interface Connecting {
  /** The address of Vexil for SDKs. */
  readonly url: string;
  readonly appName: string;
}

interface Sdk {
  readonly name: string;
  readonly install: string;
  readonly code: (connecting: Connecting) => string;
}

/** As a literal that JavaScript, Python, Go and Java read alike. */
const quoted = (text: string) => JSON.stringify(text);

export const SDKS = {
  node: {
    name: 'Node.js',
    install: 'npm install unleash-client',
    code: ({ url, appName }) => `import { initialize } from 'unleash-client';

const unleash = initialize({
  url: ${quoted(url)},
  appName: ${quoted(appName)},
  customHeaders: { Authorization: process.env.UNLEASH_API_TOKEN },
});
unleash.on('synchronized', () => console.log(unleash.isEnabled('my-flag', { userId: '7' })));
`,
  },
  python: {
    name: 'Python',
    install: 'pip install UnleashClient',
    code: ({ url, appName }) => `import os
from UnleashClient import UnleashClient

client = UnleashClient(
    url=${quoted(url)},
    app_name=${quoted(appName)},
    custom_headers={"Authorization": os.environ["UNLEASH_API_TOKEN"]},
)
client.initialize_client()
print(client.is_enabled("my-flag", {"userId": "7"}))
`,
  },
  go: {
    name: 'Go',
    install: 'go get github.com/Unleash/unleash-go-sdk/v5',
    code: ({ url, appName }) => `unleash.Initialize(
    unleash.WithUrl(${quoted(`${url}/`)}),
    unleash.WithAppName(${quoted(appName)}),
    unleash.WithCustomHeaders(http.Header{"Authorization": {os.Getenv("UNLEASH_API_TOKEN")}}),
)
unleash.WaitForReady()
fmt.Println(unleash.IsEnabled("my-flag", unleash.WithContext(context.Context{UserId: "7"})))
`,
  },
  java: {
    name: 'Java',
    install: '# Gradle: implementation("io.getunleash:unleash-client-java")',
    code: ({ url, appName }) => `UnleashConfig config = UnleashConfig.builder()
    .unleashAPI(${quoted(url)})
    .appName(${quoted(appName)})
    .apiKey(System.getenv("UNLEASH_API_TOKEN"))
    .build();
Unleash unleash = new DefaultUnleash(config);
System.out.println(unleash.isEnabled("my-flag", UnleashContext.builder().userId("7").build()));
`,
  },
} as const satisfies Readonly<Record<string, Sdk>>;

export type SdkName = keyof typeof SDKS;
