import type { ComponentChildren } from 'preact';
import type { DraftPlace } from '../route';

const rows = (count: number, row: (index: number) => ComponentChildren) =>
  Array.from({ length: count }, (_, index) => row(index));
/** A line of text that is not known yet. `width` is in rem. */
const Line = ({ width }: { width: number }) => (
  <span class="line" style={{ width: `min(100%, ${width}rem)` }} />
);

interface SkeletonProps {
  /**
   * The page that follows. Its skeleton has the same elements, so that nothing moves when it appears. `proof` is the heading of a
   * step, above the progress of a proof of work.
   */
  readonly shape: 'list' | 'start' | 'proof' | DraftPlace['kind'];
}

export function Skeleton({ shape }: SkeletonProps) {
  return (
    <>
      <p class="visually-hidden" role="status">
        Loading…
      </p>
      <div class="skeleton" aria-hidden="true">
        {shape === 'list' ? <List /> : <Heading hasForm={shape !== 'start'} />}
        {shape === 'step' && <Questions />}
        {shape === 'submitted' && <Reference />}
        {(shape === 'review' || shape === 'submitted') && <Answers />}
      </div>
    </>
  );
}

/** The skeleton of the steps beside or above a step. */
export function SkeletonRail() {
  return (
    <div class="progress skeleton" aria-hidden="true">
      <p>
        <Line width={6} />
      </p>
      <progress max={1} value={0} />
      <button type="button" class="link" disabled>
        Show the steps
      </button>
      <ol>
        {rows(5, (index) => (
          <li key={index}>
            <span>
              <Line width={9} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function List() {
  return (
    <>
      <h2>
        <Line width={10} />
      </h2>
      <ul class="cards">
        {rows(3, (index) => (
          <li key={index}>
            <div>
              <h3>
                <Line width={14} />
              </h3>
              <p>
                <Line width={24} />
              </p>
              <p class="quiet">
                <Line width={6} />
              </p>
            </div>
            <span class="box button" />
          </li>
        ))}
      </ul>
    </>
  );
}

function Heading({ hasForm }: { hasForm: boolean }) {
  return (
    <>
      {hasForm && (
        <p class="form-name">
          <Line width={10} />
        </p>
      )}
      <h1>
        <Line width={16} />
      </h1>
      <p class="lead">
        <Line width={26} />
      </p>
    </>
  );
}

function Questions() {
  return (
    <div class="form">
      {rows(4, (index) => (
        <div class="field" key={index}>
          <p>
            <Line width={9} />
          </p>
          <span class="box" />
        </div>
      ))}
    </div>
  );
}

function Reference() {
  return (
    <p class="reference">
      <Line width={8} />
      <strong>
        <Line width={6} />
      </strong>
    </p>
  );
}

function Answers() {
  return (
    <div class="answers">
      <section>
        <h2>
          <Line width={10} />
        </h2>
        <dl>
          {rows(6, (index) => (
            <div key={index}>
              <dt>
                <Line width={9} />
              </dt>
              <dd>
                <Line width={12} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
