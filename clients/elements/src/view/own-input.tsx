import { Component, createRef } from 'preact';
import { makerOf } from '../own-inputs.js';
import type { OwnInput as Made, OwnInputProps } from '../types.js';
import { labelId } from '../ids.js';
import type { InputProps } from './props.js';

/** An input of the page. */
export const OwnInput = (props: InputProps) => {
  const { component } = props.question.field.field_type;
  return <Place key={component} component={component} {...props} />;
};

class Place extends Component<InputProps & { readonly component: string }> {
  private readonly place = createRef<HTMLDivElement>();
  private made: Made | undefined;

  override componentDidMount(): void {
    this.attempt(() => {
      this.made = makerOf(this.props.component)?.(this.place.current as HTMLElement, this.given);
      this.made?.update(this.given);
    });
  }

  override componentDidUpdate(): void {
    this.attempt(() => this.made?.update(this.given));
  }

  override componentWillUnmount(): void {
    this.attempt(() => this.made?.remove?.());
  }

  override render() {
    const { id, question, visit } = this.props;
    return (
      <div
        id={id}
        ref={this.place}
        part="own-input"
        tabIndex={-1}
        // Links of errors lead to the place.
        onFocus={({ target, currentTarget }) => target === currentTarget && this.made?.focus()}
        onFocusOut={({ relatedTarget, currentTarget }) =>
          currentTarget.contains(relatedTarget as Node | null) || visit.leave(question.key)
        }
      />
    );
  }

  private readonly change = (value: string): void => {
    const { question, visit } = this.props;
    visit.draft.change(question.key, value);
  };

  private get given(): OwnInputProps {
    const { id, describedBy, words, question } = this.props;
    const { field, value, isRequired, mistake, placesLeft } = question;
    return {
      ...{ value, placesLeft, isRequired, describedBy, change: this.change, labelledBy: labelId(id) },
      ...{ label: field.label, options: field.options, meta: field.meta, language: words.locale },
      mistake: mistake && words.mistake(mistake, question),
    };
  }

  /** A fault of the page must not stop the rest of the form. */
  private attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      reportError(error);
    }
  }
}
