/** How a change came, and why, as the history tells it. */
import type { Schemas } from '../api.generated.ts';
import { Icon, type IconName } from '../icons.tsx';

type Event = Schemas['Event'];
type EventChannel = NonNullable<Event['channel']>;

const WAYS: Readonly<Record<EventChannel, { readonly icon: IconName; readonly text: string }>> = {
  console: { icon: 'person', text: 'in the console' },
  api: { icon: 'plug', text: 'through the API' },
  kubernetes: { icon: 'terminal', text: 'through the API server' },
  alert: { icon: 'alert', text: 'by an alert' },
  time: { icon: 'clock', text: 'by time, as planned' },
};

/** The field managers of GitOps tools. */
const OF_GIT = /controller|^argocd|^helm|^flux/;

export function Origin({ event: { channel, fieldManager, ip } }: { readonly event: Event }) {
  if (channel === null) return ip === null ? null : <span className="origin">from {ip}</span>;
  const { icon, text } = WAYS[channel];
  const isOfGit = fieldManager !== null && OF_GIT.test(fieldManager);
  return (
    <span className="origin">
      <Icon name={isOfGit ? 'git' : icon} /> {fieldManager === null ? text : `through ${fieldManager}`}
      {ip !== null && `, from ${ip}`}
    </span>
  );
}

/** What the audit log of the API server says about the author. */
export function Confirmation({ event: { confirmed, auditLog } }: { readonly event: Event }) {
  if (auditLog === undefined) return null;
  const { createdBy, userAgent, impersonatedBy } = auditLog;
  const facts = [userAgent, impersonatedBy && `impersonated by ${impersonatedBy}`].filter(Boolean).join(', ');
  const text = confirmed ? 'confirmed' : `contradicted: the API server names ${createdBy}`;
  return (
    <span
      className={confirmed ? 'origin' : 'origin contradicted'}
      title={`Audit log of the API server${facts && `: ${facts}`}`}
    >
      <Icon name={confirmed ? 'check' : 'alert'} /> {text}
    </span>
  );
}

export function Reason({ event: { reason } }: { readonly event: Event }) {
  return reason === null ? null : <q className="reason">{reason}</q>;
}
