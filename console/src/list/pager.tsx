/** Shows which part of a long list is visible, with buttons for the other parts. */

export const PAGE_SIZE = 50;

interface PagerProps {
  readonly offset: number;
  readonly total: number;
  /** The name of the items, such as "Events". */
  readonly of: string;
  readonly onMove: (offset: number) => void;
}

export function Pager({ offset, total, of, onMove }: PagerProps) {
  const end = Math.min(offset + PAGE_SIZE, total);
  return (
    <nav className="pager" aria-label={`Pages of ${of}`}>
      <span role="status">{total > PAGE_SIZE ? `${of} ${offset + 1} to ${end} of ${total}` : `${of}: ${total}`}</span>
      {total > PAGE_SIZE && (
        <>
          <button type="button" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - PAGE_SIZE))}>
            Previous
          </button>
          <button type="button" disabled={end >= total} onClick={() => onMove(end)}>
            Next
          </button>
        </>
      )}
    </nav>
  );
}
