/** A state document of version 4 of a realistic form with any number of flags. */

const ENVIRONMENTS = ['development', 'staging', 'production'];

/** The id of a strategy, which follows from its place. */
function idOf(flag: number, place: number): string {
  return `00000000-0000-4000-8${String(place).padStart(3, '0')}-${String(flag).padStart(12, '0')}`;
}

export function documentOf(count: number) {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const nameOf = (number: number) => `checkout-step-${String(number).padStart(5, '0')}`;
  const places = numbers.flatMap((number) =>
    ENVIRONMENTS.map((environment, index) => ({ number, environment, index })),
  );
  return {
    version: 4,
    features: numbers.map((number) => ({
      name: nameOf(number),
      project: `shop-${number % 10}`,
      type: 'release',
      description: `Checkout in one step, number ${number}.`,
    })),
    projects: numbers.slice(0, 10).map((number) => ({ id: `shop-${number}`, name: `Shop ${number}` })),
    featureTags: numbers.map((number) => ({ featureName: nameOf(number), tagType: 'simple', tagValue: 'payments' })),
    featureStrategies: places.flatMap(({ number, environment, index }) =>
      [0, 1].map((sortOrder) => ({
        id: idOf(number, index * 2 + sortOrder),
        featureName: nameOf(number),
        projectId: `shop-${number % 10}`,
        environment,
        strategyName: 'flexibleRollout',
        sortOrder,
        parameters: { rollout: number % 101, groupId: nameOf(number), stickiness: 'userId' },
        constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@example.com'] }],
      })),
    ),
    environments: ENVIRONMENTS.map((name, sortOrder) => ({ name, type: name, sortOrder })),
    featureEnvironments: places.map(({ number, environment, index }) => ({
      featureName: nameOf(number),
      environment,
      enabled: number % 3 >= index,
      variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
    })),
  };
}
