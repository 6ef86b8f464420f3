/** Generates the RBAC rules of the chart from config/rbac. */
import { asTemplateText, configDocument, configDocuments, namedTemplate } from './template.ts';

/** Returns the named templates with the rules of the operator and of people. */
export function chartRules(): string {
  const rulesOf = (path: string, kind: string) => asTemplateText(configDocument(path, kind).get('rules'));
  return [
    namedTemplate('vexil.rules.home', rulesOf('rbac/home.yaml', 'Role')),
    namedTemplate('vexil.rules.watched', rulesOf('rbac/watched.yaml', 'Role')),
    namedTemplate('vexil.rules.everywhere', rulesOf('rbac/everywhere.yaml', 'ClusterRole')),
    namedTemplate('vexil.rules.sinkSecrets', rulesOf('rbac/opt-in/notification-secrets.yaml', 'Role')),
    namedTemplate('vexil.people', asTemplateText(people())),
  ].join('\n');
}

/** The roles for people, by name; labels aggregate them into the built-in roles of Kubernetes. */
function people(): object {
  const roles = configDocuments('rbac/people.yaml');
  return Object.fromEntries(
    roles.map((role) => [
      role.getIn(['metadata', 'name']),
      { labels: role.getIn(['metadata', 'labels']), rules: role.get('rules') },
    ]),
  );
}
