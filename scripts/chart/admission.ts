/** Generates the admission policies of the chart from config/admission. */
import { asTemplateText, configDocument, namedTemplate } from './template.ts';

const VALIDATING = 'ValidatingAdmissionPolicy';

/** The name of the operator in config/. In the chart the name depends on the release, and there may be several. */
const NAMED = "'system:serviceaccount:vexil-system:vexil'";
const IS_OPERATOR = `expression: request.userInfo.username == ${NAMED}`;
const IS_NOT_OPERATOR = `expression: request.userInfo.username != ${NAMED}`;
/** Appears between YAML quotes, so it contains none. */
const AMONG = 'request.userInfo.username in {{ include `vexil.operators` . }}';

/** Returns the named templates with the specs of the policies. */
export function chartAdmission(): string {
  return [
    policy('author', 'author.yaml', 'MutatingAdmissionPolicy'),
    policy('stamps', 'older/stamps.yaml', VALIDATING),
    policy('audit-events', 'audit-events.yaml', VALIDATING),
    policy('protected-environment', 'protected-environment.yaml', VALIDATING),
    policy('environment-changes', 'environment-changes.yaml', VALIDATING),
    policy('change-requests', 'change-requests.yaml', VALIDATING),
    policy('change-approvals', 'change-approvals.yaml', VALIDATING),
    policy('statuses', 'statuses.yaml', VALIDATING),
    policy('environment-permission', 'opt-in/environment-permission.yaml', VALIDATING),
  ].join('\n');
}

function policy(name: string, file: string, kind: string): string {
  const text = asTemplateText(configDocument(`admission/${file}`, kind).get('spec'));
  return namedTemplate(`vexil.policy.${name}`, forAnyOperator(text, file));
}

/** Returns the policy for the operators of a release. */
export function forAnyOperator(text: string, file: string): string {
  const result = text
    .replaceAll(IS_OPERATOR, `expression: "${AMONG}"`)
    .replaceAll(IS_NOT_OPERATOR, `expression: "!(${AMONG})"`);
  if (result.includes('vexil-system'))
    throw new Error(`config/admission/${file} names the operator otherwise than by "${IS_OPERATOR}", or with != in it`);
  return result;
}
