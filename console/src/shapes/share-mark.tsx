/** The share of the users that have a flag, as a ring and in words. */
import type { Schemas } from '../api.generated.ts';

interface ShareMarkProps {
  readonly share: Schemas['Share'];
}

const EVERYONE = 100;

export function ShareMark({ share }: ShareMarkProps) {
  return (
    <span className="share-mark" title={`On for ${shareText(share)}`}>
      <Ring percent={share.percent} />
      <span aria-hidden="true">{shortText(share)}</span>
      <span className="unseen">for {shareText(share)}</span>
    </span>
  );
}

/** The length of the line is 100, so a percentage is a part of it. */
export function Ring({ percent }: { readonly percent: number }) {
  return (
    <svg className="ring" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" />
      {percent > 0 && (
        <circle className="part" cx="8" cy="8" r="6" pathLength="100" strokeDasharray={`${percent} 100`} />
      )}
    </svg>
  );
}

export function shareText({ percent, targeted }: Schemas['Share']): string {
  if (percent === EVERYONE) return 'everyone';
  if (percent === 0) return targeted ? 'chosen users' : 'nobody';
  return `${percent} % of users${targeted ? ', and chosen ones' : ''}`;
}

function shortText({ percent, targeted }: Schemas['Share']): string {
  if (percent === EVERYONE) return 'all';
  if (percent === 0) return targeted ? 'chosen' : '0 %';
  return `${percent} %${targeted ? ' +' : ''}`;
}
