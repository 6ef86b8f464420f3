/** Pastes a list with commas as lines. */
import type { ClipboardEvent } from 'react';

/** Leaves a text alone that has lines already, or no comma. */
export function pasteLines(event: ClipboardEvent<HTMLTextAreaElement>, onChange: (text: string) => void): void {
  const pasted = event.clipboardData.getData('text');
  if (!pasted.includes(',') || pasted.trim().includes('\n')) return;
  event.preventDefault();
  const area = event.currentTarget;
  const lines = pasted
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join('\n');
  area.setRangeText(lines, area.selectionStart, area.selectionEnd, 'end');
  onChange(area.value);
}
