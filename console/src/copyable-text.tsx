/** A text in a fixed font, with a button that copies it. */
import { useState } from 'react';

export function CopyableText({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('Copied');
    } catch {
      setOutcome('The browser does not allow it: select the text');
    }
  };
  return (
    <div className="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <button type="button" onClick={() => void copy()}>
        Copy {label}
      </button>
      <span role="status">{outcome}</span>
    </div>
  );
}
