/** Shows the freeze of an environment that is in force. */
import type { Schemas } from './api.generated.ts';
import { Icon } from './icons.tsx';
import { dayText, shortDayText, timeText } from './times.ts';
import { useAllowed } from './use-allowed.ts';
import { BYPASS_FREEZE, type Freeze } from './write/bypass.ts';

/** Returns an empty text if no freeze is in force. */
export function freezeText(freeze: Freeze | null): string {
  return freeze ? `${freeze.name} until ${timeText(freeze.until)}` : '';
}

/** Such as "Production is frozen by year-end until 1 Jan 2027, 00:00 (The year is closed)." */
export function freezeSentence(label: string, { name, until, reason }: Freeze): string {
  return `${label} is frozen by ${name} until ${timeText(until)}${reason ? ` (${reason})` : ''}.`;
}

interface FreezeNoticeProps {
  readonly projectId: string;
  readonly environment: Pick<Schemas['ProjectEnvironment'], 'name' | 'freeze'>;
}

export function FreezeNotice({ projectId, environment: { name, freeze } }: FreezeNoticeProps) {
  const mayBypass = useAllowed(projectId, name)(BYPASS_FREEZE);
  if (!freeze) return null;
  return (
    <p className="notice">
      Frozen: {freezeText(freeze)}
      {freeze.reason && ` (${freeze.reason})`}. The flag can only be switched off here
      {mayBypass && ', but you may bypass the freeze'}.
    </p>
  );
}

interface MarksProps extends Pick<Schemas['ProjectEnvironment'], 'freeze' | 'protected'> {
  /** Whether words are under the pointer, and read by screen readers, only. */
  readonly isShort?: boolean;
}

/** What the heads of tables say about an environment. */
export function EnvironmentMarks({ freeze, isShort = false, ...environment }: MarksProps) {
  return (
    <>
      {environment.protected &&
        (isShort ? (
          <span className="sign" title="protected">
            <Icon name="lock" />
            <span className="unseen">protected</span>
          </span>
        ) : (
          <span className="mark">
            <Icon name="lock" />
            protected
          </span>
        ))}
      {freeze && (
        <span className="mark warning" title={freezeText(freeze)}>
          <Icon name="frozen" />
          {isShort && <span aria-hidden="true">{shortDayText(freeze.until)}</span>}
          <span className={isShort ? 'unseen' : undefined}>frozen until {dayText(freeze.until)}</span>
        </span>
      )}
    </>
  );
}
