/** Shows which part of a long list is visible, with buttons for the other parts. */
import { PAGE_SIZE, type PageOfList, pageRangeOf } from './page-range.ts';

interface PagerProps extends PageOfList {
  /** The name of the items, such as "Events". */
  readonly of: string;
  readonly onMove: (offset: number) => void;
}

export function Pager({ of, onMove, ...page }: PagerProps) {
  const { offset } = page;
  const { isWhole, text, next } = pageRangeOf(page);
  return (
    <nav className="pager" aria-label={`Pages of ${of}`}>
      <span role="status">{isWhole ? `${of}: ${text}` : `${of} ${text}`}</span>
      {!isWhole && (
        <>
          <button type="button" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - PAGE_SIZE))}>
            Previous
          </button>
          <button
            type="button"
            disabled={next === undefined}
            onClick={() => {
              if (next !== undefined) onMove(next);
            }}
          >
            Next
          </button>
        </>
      )}
    </nav>
  );
}
