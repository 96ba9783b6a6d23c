import {
  type Form,
  type FormtrailClient,
  InvalidError,
  type ListedSubmission,
  UnauthenticatedError,
} from 'formtrail-client';
import { discardDraft } from 'formtrail-session';
import { Component, createRef, type VNode } from 'preact';
import { HEADING } from '../ids.js';
import type { Sentences } from '../sentences.js';
import { Loading, SignIn, Stopped } from '../view/app.js';
import { referenceOf } from '../view/completed.js';
import { Markup } from '../view/markup.js';
import type { Words } from '../words.js';
import css from './list.css?inline';
import { LIST_ENGLISH } from './list-english.js';

export { css };

type Kind = 'drafts' | 'forms' | 'submitted';

/** A form that can be begun, a draft, or a submission to read. */
interface Row {
  readonly uuid: string;
  readonly name: string;
  readonly form: string;
  readonly description?: string;
  readonly at?: string;
  /** Position of the current step of a draft, from 1. */
  readonly step?: number;
}

interface Pile {
  readonly rows: readonly Row[];
  /** Loads the next rows. Undefined if these are all. */
  readonly more?: (() => Promise<Pile>) | undefined;
}

interface ListProps {
  readonly client: FormtrailClient;
  readonly words: Words;
  /** Language of the forms. */
  readonly locale: string | undefined;
  /** Moves the focus to the list when it is loaded, because the person has asked for it. */
  readonly takesFocus: boolean;
  /** Opens a submission; `new` begins another one, and undefined opens the newest draft. */
  readonly onOpen: (form: string, submission?: string) => void;
  readonly onError: (error: unknown) => void;
}

interface ListState {
  /** Undefined until they are loaded. Only those of a signed-in user have drafts and submitted forms. */
  readonly piles?: Partial<Record<Kind, Pile>> | undefined;
  readonly isVisitor?: boolean;
  readonly error?: unknown;
  /** Error of the last action. */
  readonly failure?: unknown;
  /** The row that asks a question, and the draft to which the question belongs. */
  readonly asking?: { readonly uuid: string; readonly draft?: Row } | undefined;
  /** Titles of steps by form, for drafts. */
  readonly titles?: Readonly<Record<string, readonly string[]>>;
}

/** The drafts of the user, the forms, and the submitted forms. Visitors have only the public forms. */
export class List extends Component<ListProps, ListState> {
  override readonly state: ListState = {};
  private readonly place = createRef<HTMLDivElement>();
  private isGone = false;

  override componentDidMount(): void {
    void this.load();
  }

  override componentDidUpdate({ locale }: ListProps): void {
    if (locale !== this.props.locale) void this.load(false);
  }

  override componentWillUnmount(): void {
    this.isGone = true;
  }

  override render() {
    const { words } = this.props;
    const { piles, isVisitor, error, failure } = this.state;
    const { text } = this;
    const { problem } = words;
    if (error !== undefined) {
      const again = () => void this.load(true);
      return (
        <div ref={this.place}>
          <Stopped title={text.failed} reason={problem(error)} action={text.tryAgain} onAction={again} />
        </div>
      );
    }
    if (!piles) return <Loading {...{ words }} />;
    const isEmpty = Object.values(piles).every(({ rows, more }) => rows.length === 0 && !more);
    return (
      <div part="list" ref={this.place}>
        <h2 id={HEADING} part="title" tabIndex={-1}>
          {text.forms}
        </h2>
        {isVisitor && <SignIn {...{ words }} />}
        <p part="error" role="alert">
          {failure !== undefined && problem(failure)}
        </p>
        {isEmpty && <p>{text.noForms}</p>}
        {this.pile('drafts', text.drafts)}
        {this.pile('forms', text.beginForm)}
        {this.pile('submitted', text.submitted)}
      </div>
    );
  }

  private pile(kind: Kind, title: string) {
    const { rows = [], more } = this.state.piles?.[kind] ?? {};
    if (rows.length === 0 && !more) return null;
    const showMore = async () => {
      const next = await more?.();
      if (!next) return;
      this.show(kind, { ...next, rows: [...rows, ...next.rows] });
      this.focusOn(next.rows[0]?.uuid ?? HEADING);
    };
    return (
      <section aria-labelledby={kind}>
        <h3 id={kind}>{title}</h3>
        {/* Safari drops the list role of lists without bullets. */}
        <ul role="list">{rows.map((row) => this.row(kind, row))}</ul>
        {more && (
          <button type="button" part="button" aria-describedby={kind} onClick={() => this.attempt(showMore)}>
            {this.text.showMore}
          </button>
        )}
      </section>
    );
  }

  private row(kind: Kind, row: Row) {
    const { words, onOpen } = this.props;
    const { text } = this;
    const { uuid, name, form, description, at = '', step = 1 } = row;
    const isAsking = this.state.asking?.uuid === uuid;
    const title = `title-${uuid}`;
    const button = (label: string, action: () => unknown, part = 'button', id?: string) => (
      <button type="button" {...{ id, part }} aria-describedby={title} onClick={() => this.attempt(action)}>
        {label}
      </button>
    );
    return (
      <li key={uuid} id={uuid} part="row" tabIndex={-1}>
        <strong id={title}>{name}</strong>
        {description && <Markup text={description} isBlock {...{ words }} />}
        {kind === 'drafts' && (
          <p class="quiet">{text.lastChanged(this.ago(at), this.state.titles?.[form]?.[step - 1])}</p>
        )}
        {kind === 'submitted' && (
          <p class="quiet">
            <time dateTime={at}>{this.moment(at)}</time> {`${text.reference} ${referenceOf(uuid)}`}
          </p>
        )}
        {isAsking ? (
          this.question(kind, row, button)
        ) : (
          <div part="buttons">
            {kind === 'drafts' && button(text.continueDraft, () => onOpen(form, uuid), 'button primary')}
            {kind === 'drafts' && button(text.deleteDraft, () => this.ask(row), 'button link', `ask-${uuid}`)}
            {kind === 'forms' && button(text.begin, () => this.begin(row), 'button', `ask-${uuid}`)}
            {kind === 'submitted' && button(text.show, () => onOpen(form, uuid), 'button link')}
          </div>
        )}
      </li>
    );
  }

  /** Asks before a draft is deleted, or before a second draft of a form is begun. */
  private question(
    kind: Kind,
    row: Row,
    button: (label: string, action: () => unknown, part?: string, id?: string) => VNode,
  ) {
    const { text } = this;
    const { onOpen } = this.props;
    const { form, name, uuid } = row;
    const draft = this.state.asking?.draft;
    const cancel = () => {
      this.setState({ asking: undefined });
      this.focusOn(`ask-${uuid}`);
    };
    return (
      <div part="notice" role="group" aria-label={name}>
        <p>{draft ? text.hasDraft(this.ago(draft.at ?? '')) : text.confirmDeletion(name)}</p>
        <div part="buttons">
          {draft && button(text.continueDraft, () => onOpen(form, draft.uuid), 'button primary')}
          {draft && button(text.beginNew, () => onOpen(form, 'new'))}
          {kind === 'drafts' && button(text.deleteDraft, () => this.delete(row))}
          {button(text.cancel, cancel, 'button', 'cancel')}
        </div>
      </div>
    );
  }

  private ask(row: Row, draft?: Row): void {
    this.setState({ asking: { uuid: row.uuid, ...(draft && { draft }) } });
    this.focusOn('cancel');
  }

  private async begin(row: Row): Promise<void> {
    const { client, onOpen } = this.props;
    if (this.state.isVisitor) {
      onOpen(row.form);
      return;
    }
    const query = { form_uuid: row.form, status: 'draft', per_page: 1 } as const;
    const [newest] = (await client.listSubmissions(query)).data;
    // The person has opened something else meanwhile.
    if (this.isGone) return;
    if (newest) this.ask(row, rowOf(newest));
    else onOpen(row.form);
  }

  private async delete({ uuid }: Row): Promise<void> {
    try {
      await discardDraft({ client: this.props.client, submission: uuid });
    } catch (error) {
      // The draft was completed elsewhere: it leaves the drafts too.
      if (!(error instanceof InvalidError)) throw error;
    }
    const drafts = this.state.piles?.drafts;
    if (drafts) this.show('drafts', { ...drafts, rows: drafts.rows.filter((row) => row.uuid !== uuid) });
    this.setState({ asking: undefined });
    this.focusOn(HEADING);
  }

  private show(kind: Kind, pile: Pile): void {
    this.setState(({ piles }) => ({ piles: { ...piles, [kind]: pile } }));
  }

  private attempt(action: () => unknown): void {
    this.setState({ failure: undefined });
    void Promise.resolve(action()).catch((failure: unknown) => {
      this.setState({ failure });
      this.props.onError(failure);
    });
  }

  private async load(takesFocus = this.props.takesFocus): Promise<void> {
    this.setState({ error: undefined });
    try {
      const own = await this.ownPiles();
      const forms = await this.formsOf(1, own === undefined);
      this.setState({ piles: { ...own, forms }, isVisitor: own === undefined });
      if (takesFocus) this.focusOn(HEADING);
      // Titles of steps are not worth a failure of the list.
      if (own) await this.loadTitles(own.drafts.rows).catch(() => undefined);
    } catch (error) {
      this.setState({ error });
      if (takesFocus) this.focusOn(HEADING);
      this.props.onError(error);
    }
  }

  /** Undefined for visitors, and after the token has expired. */
  private async ownPiles() {
    const { client, onError } = this.props;
    const { token } = client.options;
    if ((typeof token === 'function' ? await token() : token) === undefined) return undefined;
    try {
      const [drafts, submitted] = await Promise.all([this.pileOf('draft'), this.pileOf('completed')]);
      return { drafts, submitted };
    } catch (error) {
      if (!(error instanceof UnauthenticatedError)) throw error;
      onError(error);
      return undefined;
    }
  }

  private async pileOf(status: ListedSubmission['status'], from?: string): Promise<Pile> {
    const { data, cursor } = await this.props.client.listSubmissions({ status, cursor: from });
    return {
      rows: data.map(rowOf),
      more: cursor === undefined ? undefined : () => this.pileOf(status, cursor),
    };
  }

  private async formsOf(page: number, isVisitor: boolean): Promise<Pile> {
    const { data, meta } = await this.props.client.listForms({ page, locale: this.props.locale });
    const rows = data.filter(({ access }) => !isVisitor || access === 'public').map(formRow);
    const more = page < meta.last_page ? () => this.formsOf(page + 1, isVisitor) : undefined;
    // Visitors may see no form of a whole page.
    return rows.length === 0 && more ? more() : { rows, more };
  }

  private async loadTitles(rows: readonly Row[]): Promise<void> {
    for (const form of new Set(rows.map((row) => row.form))) {
      const { client, locale } = this.props;
      const { steps } = (await client.getFormSchema(form, { locale })).data;
      const titles = steps.map(({ title }) => title);
      this.setState((state) => ({ titles: { ...state.titles, [form]: titles } }));
    }
  }

  /** Moves the focus after the next rendering. */
  private focusOn(id: string): void {
    this.setState({}, () => {
      const root = this.place.current?.getRootNode() as ShadowRoot | undefined;
      root?.getElementById(id)?.focus();
    });
  }

  private get text(): Sentences {
    return { ...LIST_ENGLISH, ...this.props.words.text };
  }

  private moment(at: string): string {
    const { locale } = this.props.words;
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
  }

  /** How long ago it was, such as "3 minutes ago". */
  private ago(at: string): string {
    const format = new Intl.RelativeTimeFormat(this.props.words.locale, { numeric: 'auto' });
    const seconds = (Date.now() - Date.parse(at)) / 1000;
    const [unit, length] = UNITS.find((one) => seconds >= one[1]) ?? (['second', seconds + 1] as const);
    return format.format(-Math.floor(seconds / length), unit);
  }
}

/** Seconds, the longest first. Below a minute, it was "now". */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function rowOf({ uuid, form, updated_at, current_step }: ListedSubmission): Row {
  return { uuid, name: form.name, form: form.uuid, at: updated_at, step: current_step };
}

function formRow({ uuid, name, description }: Form): Row {
  return { uuid, name, form: uuid, description };
}
