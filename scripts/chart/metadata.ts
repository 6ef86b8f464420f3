/** Generates Chart.yaml of each chart, with the annotations for Artifact Hub. */
import manifest from '../../package.json' with { type: 'json' };
import { VERSION, VERSIONS } from '../../src/model/kind.ts';
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { kinds } from '../../src/schema/kinds.ts';

interface ChartMetadata {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Those of Artifact Hub that other charts do not have. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns the text of Chart.yaml. Chart and image have the same version. */
export function metadataOf({ name, description, keywords, annotations }: ChartMetadata): string {
  const { version, license } = manifest;
  return writeYaml({
    apiVersion: 'v2',
    name,
    description,
    type: 'application',
    version,
    appVersion: version,
    // The oldest version that `make compat` tests.
    kubeVersion: '>=1.33.0-0',
    keywords,
    annotations: {
      'artifacthub.io/category': 'integration-delivery',
      'artifacthub.io/license': license,
      'artifacthub.io/images': writeYaml([{ name: 'vexil', image: `vexil:${version}` }]),
      ...annotations,
    },
  });
}

/** Returns the text of Chart.yaml of the operator. */
export function chartMetadata(): string {
  return metadataOf({
    name: 'vexil',
    description: manifest.description,
    keywords: ['feature-flags', 'feature-toggles', 'unleash', 'gitops', 'operator'],
    annotations: {
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Full Lifecycle',
      'artifacthub.io/crds': writeYaml(
        kinds.flatMap(({ kind, plural, description: text }) =>
          VERSIONS.map(({ name: version }) => ({
            kind,
            version,
            name: `${plural}.vexil.dev`,
            displayName: kind,
            description: text,
          })),
        ),
      ),
      'artifacthub.io/crdsExamples': writeYaml([
        {
          apiVersion: `vexil.dev/${VERSION}`,
          kind: 'FeatureFlag',
          metadata: { name: 'one-page-checkout' },
          spec: {
            description: 'Checkout on one page instead of four.',
            environments: { production: { strategies: { everyone: { name: 'default' } } } },
          },
        },
      ]),
    },
  });
}
