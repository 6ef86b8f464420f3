/** Asks before a link leads away from changes that are not saved. */
import { useEffect, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { hasUnsavedChanges } from '../session-end.ts';
import { Dialog } from './dialog.tsx';

export function LeaveGuard() {
  const [target, setTarget] = useState<string>();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const next = hasUnsavedChanges() ? targetOf(event) : undefined;
      if (next === undefined) return;
      event.preventDefault();
      // The link must not lead on by itself.
      event.stopPropagation();
      setTarget(next);
    };
    document.addEventListener('click', onClick, true);
    return () => document.removeEventListener('click', onClick, true);
  }, []);
  if (target === undefined) return null;
  const close = () => setTarget(undefined);
  return (
    <Dialog title="Leave without saving?" onClose={close}>
      <p>Your changes are not saved. This tab keeps them: open the editor again to go on with them.</p>
      <div className="actions">
        <button type="button" onClick={close}>
          Stay
        </button>
        <button
          type="button"
          className="primary"
          onClick={() => {
            close();
            navigate(target);
          }}
        >
          Leave
        </button>
      </div>
    </Dialog>
  );
}

/** The address of the page of the console that a click would open in this tab; undefined if it opens none. */
function targetOf(event: MouseEvent): string | undefined {
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!isPlain || !(link instanceof HTMLAnchorElement)) return undefined;
  const isElsewhere = link.target !== '' || link.origin !== location.origin || link.getAttribute('href')?.[0] === '#';
  return isElsewhere ? undefined : `${link.pathname}${link.search}`;
}
