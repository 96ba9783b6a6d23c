/** Placeholder for a loading page with `rows` questions or forms. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  return (
    <>
      <p class="visually-hidden" role="status">
        Loading…
      </p>
      <div class="skeleton" aria-hidden="true">
        <span />
        {Array.from({ length: rows }, (_, row) => [<span key={`${row}a`} />, <span key={`${row}b`} />])}
      </div>
    </>
  );
}
