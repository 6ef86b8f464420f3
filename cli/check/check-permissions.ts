/** The permissions of the operator: each rule of config/rbac, asked of the API server. */
import {
  type Check,
  type CheckedCluster,
  type CheckResult,
  fine,
  firstOf,
  type Installation,
  installAgain,
  type OperatorAccess,
} from './check.ts';
import { OPERATOR_RULES, type OperatorRule } from './operator-rules.generated.ts';

/** More watched namespaces are not checked. */
const MAX_NAMESPACES = 50;
/** Questions at a time. */
const CONCURRENCY = 8;
const MAX_NAMED = 4;

export const checkPermissions: Check = async ({ cluster, installation }) => {
  const { namespace, settings } = installation;
  const watched = (settings.get('VEXIL_WATCH_NAMESPACES') ?? '').split(',').map((name) => name.trim());
  const others = watched.filter((name) => name !== '' && name !== '*' && name !== namespace);
  const places: readonly CheckedRules[] = [
    { rules: OPERATOR_RULES.home, namespace, what: 'in the operator namespace' },
    ...(watched.includes('*')
      ? [{ rules: OPERATOR_RULES.everywhere, what: 'in all namespaces' }]
      : [namespace, ...others].slice(0, MAX_NAMESPACES).map((name) => watchedPlace(name, installation))),
  ];
  const results: CheckResult[] = [];
  for (const place of places) {
    const missing = await missingIn(cluster, place);
    if (missing.length === 0) continue;
    const message = `the operator may not ${firstOf(missing, MAX_NAMED)} ${place.what}`;
    results.push({ verdict: 'error', message, mend: place.mend ?? installAgain(installation) });
  }
  const reviews = settings.get('VEXIL_AUTH') === 'none' ? [] : await checkReviews(cluster);
  const problems = [...results, ...reviews];
  return problems.length > 0 ? problems : [fine(`the operator has its permissions in ${places.length} places`)];
};

interface CheckedRules {
  readonly rules: readonly OperatorRule[];
  readonly namespace?: string;
  readonly what: string;
  /** Absent: the installation as a whole. */
  readonly mend?: string;
}

function watchedPlace(name: string, { namespace, isOfHelm }: Installation): CheckedRules {
  const place = { rules: OPERATOR_RULES.watched, namespace: name, what: `in the watched namespace ${name}` };
  if (isOfHelm || name === namespace) return place;
  return { ...place, mend: `apply config/watched in the namespace ${name} (docs/kustomize.md)` };
}

async function missingIn(cluster: CheckedCluster, { rules, namespace }: CheckedRules): Promise<readonly string[]> {
  const questions = rules.flatMap((rule) => questionsOf(rule, namespace));
  const missing: string[] = [];
  for (let start = 0; start < questions.length; start += CONCURRENCY) {
    const some = questions.slice(start, start + CONCURRENCY);
    const answers = await Promise.all(some.map((access) => cluster.mayOperator(access)));
    missing.push(...some.filter((_, index) => !answers[index]).map(({ verb, resource }) => `${verb} ${resource}`));
  }
  return [...new Set(missing)];
}

function questionsOf(rule: OperatorRule, namespace: string | undefined): readonly OperatorAccess[] {
  const names: readonly (string | undefined)[] = rule.resourceNames ?? [undefined];
  const wholes = rule.apiGroups.flatMap((group) => rule.resources.map((resource) => ({ group, resource })));
  return wholes.flatMap((whole) =>
    rule.verbs.flatMap((verb) =>
      names.map((name) => ({
        ...whole,
        verb,
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
      })),
    ),
  );
}

async function checkReviews(cluster: CheckedCluster): Promise<readonly CheckResult[]> {
  const reviews = [
    { group: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' },
    { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verb: 'create' },
  ];
  const allowed = await Promise.all(reviews.map((access) => cluster.mayOperator(access)));
  if (!allowed.includes(false)) return [];
  const message = 'the operator may not review tokens of Kubernetes: callers need tokens of Vexil';
  const mend = 'nothing if that is intended (identities=false); otherwise bind system:auth-delegator to the operator';
  return [{ verdict: 'warning', message, mend }];
}
