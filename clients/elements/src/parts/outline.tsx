import { Component, createRef } from 'preact';
import type { PageProps } from '../view/props.js';
import css from './outline.css?inline';

export { css };

/** Width in pixels from which the outline is beside the step, and therefore open at first: 50rem, as in the styles. */
const WIDE = 800;

/** The steps of the form. Those that the person has reached are buttons. */
export class Outline extends Component<PageProps> {
  private readonly nav = createRef<HTMLElement>();
  private readonly isOpen = this.root.host.clientWidth >= WIDE;
  private hadFocus = false;

  override componentDidUpdate(): void {
    // An answer may hide the step whose button has the focus. The browser would then start again at the top of the page.
    if (this.hadFocus && !this.root.activeElement) this.nav.current?.focus();
  }

  override render() {
    const { visit, shown, words } = this.props;
    const { steps, step, progress, busy } = shown;
    const { text } = words;
    this.hadFocus = this.nav.current?.contains(this.root.activeElement) === true;
    // A form of one step has no review.
    if (steps.length < 2) return null;
    const item = (place: number | 'review', title: string, position: number) => {
      const isCurrent = place === (visit.isReviewing ? 'review' : step?.id);
      const lead = () => void visit.lead(place);
      return (
        <li key={place} aria-current={isCurrent ? 'step' : undefined}>
          {isCurrent || position > visit.furthest ? (
            title
          ) : (
            <button type="button" part="button link" aria-disabled={busy !== undefined} onClick={lead}>
              {title}
              {position < visit.furthest && <span class="visually-hidden">{` ${text.passed}`}</span>}
            </button>
          )}
        </li>
      );
    };
    return (
      <nav part="outline" aria-label={text.steps} ref={this.nav} tabIndex={-1}>
        <progress part="bar" max={100} value={progress} aria-label={text.progress} />
        <details open={this.isOpen}>
          <summary>{visit.isReviewing ? text.review : text.stepOf(step?.number ?? 1, steps.length)}</summary>
          <ol>
            {steps.map(({ id, title, position }) => item(id, title, position))}
            {item('review', text.review, Number.POSITIVE_INFINITY)}
          </ol>
        </details>
      </nav>
    );
  }

  private get root(): ShadowRoot {
    return this.props.visit.page.root;
  }
}
