/** Makes the admission policies of the chart from config/admission. */
import { asTemplateText, configDocument, namedTemplate } from './template.ts';

const VALIDATING = 'ValidatingAdmissionPolicy';

/** How the policies of config/ name the operator; the chart knows its name when it is installed, and may know several. */
const NAMED = "'system:serviceaccount:vexil-system:vexil'";
const IS_OPERATOR = `expression: request.userInfo.username == ${NAMED}`;
const IS_NOT_OPERATOR = `expression: request.userInfo.username != ${NAMED}`;
/** Between the quotes of YAML, so without any of its own. */
const AMONG = 'request.userInfo.username in {{ include `vexil.operators` . }}';

/** The named templates with the specs of the policies. */
export function chartAdmission(): string {
  return [
    policy('author', 'author.yaml', 'MutatingAdmissionPolicy'),
    policy('stamps', 'older/stamps.yaml', VALIDATING),
    policy('audit-events', 'audit-events.yaml', VALIDATING),
    policy('protected-environment', 'protected-environment.yaml', VALIDATING),
    policy('environment-permission', 'opt-in/environment-permission.yaml', VALIDATING),
  ].join('\n');
}

function policy(name: string, file: string, kind: string): string {
  const text = asTemplateText(configDocument(`admission/${file}`, kind).get('spec'));
  return namedTemplate(`vexil.policy.${name}`, forAnyOperator(text, file));
}

/** The same policy for the operators of a release. */
export function forAnyOperator(text: string, file: string): string {
  const made = text
    .replaceAll(IS_OPERATOR, `expression: "${AMONG}"`)
    .replaceAll(IS_NOT_OPERATOR, `expression: "!(${AMONG})"`);
  if (made.includes('vexil-system'))
    throw new Error(`config/admission/${file} names the operator otherwise than by "${IS_OPERATOR}", or with != in it`);
  return made;
}
