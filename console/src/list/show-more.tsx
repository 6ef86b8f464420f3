/** The button below a list that is not shown to its end. */

interface ShowMoreProps {
  readonly onMore: () => void;
  /** Whether the next rows are being read. */
  readonly isReading?: boolean;
}

export function ShowMore({ onMore, isReading = false }: ShowMoreProps) {
  return (
    <button type="button" disabled={isReading} onClick={onMore}>
      Show more
    </button>
  );
}
