/** Generates the permissions of the operator for `vexil check`, from config/rbac. */
import { configDocument } from './chart/template.ts';

const PLACES = {
  home: ['rbac/home.yaml', 'Role'],
  watched: ['rbac/watched.yaml', 'Role'],
  everywhere: ['rbac/everywhere.yaml', 'ClusterRole'],
} as const;

const HEAD = `export interface OperatorRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}
`;

export function operatorRules(): string {
  const rules = Object.entries(PLACES).map(([name, [path, kind]]) => {
    const { rules: found } = configDocument(path, kind).toJS();
    return `  ${name}: ${JSON.stringify(found)},`;
  });
  return `${HEAD}
export const OPERATOR_RULES: Readonly<Record<${Object.keys(PLACES)
    .map((name) => `'${name}'`)
    .join(' | ')}, readonly OperatorRule[]>> = {
${rules.join('\n')}
};
`;
}
