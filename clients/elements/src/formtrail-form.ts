import { FormtrailClient } from 'formtrail-client';
import { Draft, type DraftSnapshot } from 'formtrail-session';
import { takeResumeCode } from 'formtrail-session/resume-link';
import { createElement, render } from 'preact';
import { eventsBetween } from './events.js';
import type { GivenSentences } from './sentences.js';
import css from './styles.css?inline';
import type { FormtrailToken } from './types.js';
import { App } from './view/app.js';
import { Visit } from './visit.js';
import { type Words, wordsIn } from './words.js';

/** A server has no elements, but may import the module of a page. */
const Base = typeof HTMLElement === 'undefined' ? (Object as unknown as typeof HTMLElement) : HTMLElement;

/** `<formtrail-form form="slug" url="https://forms.example.org">`: a form of Formtrail to fill in. */
export class FormtrailFormElement extends Base {
  static readonly observedAttributes = ['form', 'url', 'submission', 'lang'];

  #token: FormtrailToken | undefined;
  #sentences: GivenSentences = {};
  #words: Words | undefined;
  #visit: Visit | undefined;
  #unsubscribe: (() => void) | undefined;
  #shown: DraftSnapshot = { status: 'loading' };
  #isOutdated = false;
  readonly #askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

  /** Slug or UUID of the form. */
  get form(): string {
    return this.getAttribute('form') ?? '';
  }
  set form(form: string) {
    this.setAttribute('form', form);
  }

  /** Base URL of the service. By default, the origin of the page. */
  get url(): string {
    return this.getAttribute('url') ?? '';
  }
  set url(url: string) {
    this.setAttribute('url', url);
  }

  /** UUID of the submission to open. By default, the newest draft of the form. */
  get submission(): string | null {
    return this.getAttribute('submission');
  }
  set submission(submission: string | null) {
    if (submission === null) this.removeAttribute('submission');
    else this.setAttribute('submission', submission);
  }

  /** Keeps the token of a visitor when the tab is closed. Do not set it on shared devices. */
  get remember(): boolean {
    return this.hasAttribute('remember');
  }
  set remember(remember: boolean) {
    this.toggleAttribute('remember', remember);
  }

  /** Token of a signed-in user, or a function that returns it. Without one, the user is a visitor of a public form. */
  get token(): FormtrailToken | undefined {
    return this.#token;
  }
  set token(token: FormtrailToken | undefined) {
    const isSameUser = this.#token !== undefined && token !== undefined;
    this.#token = token;
    if (isSameUser) this.#visit?.draft.retry();
    else this.#reopen();
  }

  get sentences(): GivenSentences {
    return this.#sentences;
  }
  set sentences(sentences: GivenSentences) {
    this.#sentences = sentences;
    this.#words = undefined;
    this.#render();
  }

  /** Ends the token of a visitor, and deletes it from the device. */
  async signOut(): Promise<void> {
    await this.#visit?.draft.signOut();
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet];
      // Frameworks may have set these properties before the element was defined.
      for (const name of ['token', 'sentences', 'form', 'url', 'submission', 'remember'] as const)
        this.#adopt(name);
    }
    this.#words = undefined;
    this.#update();
  }

  disconnectedCallback(): void {
    this.#update();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    this.#words = undefined;
    if (name === 'lang') this.#render();
    else this.#reopen();
  }

  /** Takes over a property that was set before the element was defined. */
  #adopt(name: 'form' | 'url' | 'submission' | 'remember' | 'token' | 'sentences'): void {
    if (!Object.hasOwn(this, name)) return;
    const { [name]: value } = this;
    Reflect.deleteProperty(this, name);
    Reflect.set(this, name, value);
  }

  #reopen(): void {
    this.#isOutdated = true;
    this.#update();
  }

  /** Waits, because a page may set several attributes at once, or move the element. */
  #update(): void {
    queueMicrotask(() => {
      if (!this.isConnected || this.#isOutdated) this.#close();
      if (this.isConnected && !this.#unsubscribe && this.form !== '') this.#open();
    });
  }

  #open(): void {
    if (!this.#visit || this.#isOutdated) this.#visit = this.#begin();
    this.#isOutdated = false;
    if (this.#visit.given === undefined) this.#unsubscribe = this.#visit.draft.subscribe(() => this.#show());
    this.#show();
  }

  #close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    removeEventListener('beforeunload', this.#askFirst);
  }

  #begin(): Visit {
    const { form, url, submission, remember } = this;
    const token = () => (typeof this.#token === 'function' ? this.#token() : this.#token);
    const client = new FormtrailClient({ ...(url !== '' && { url }), token });
    const draft = new Draft({ client, form, submission: submission ?? undefined, remember });
    this.#shown = { status: 'loading' };
    const visit = new Visit(draft, {
      root: this.shadowRoot as ShadowRoot,
      words: () => this.#currentWords,
      render: () => this.#render(),
      start: () => this.#update(),
      reopen: () => {
        this.submission = null;
        this.#reopen();
        queueMicrotask(() => void this.#visit?.opened());
      },
    });
    if (this.#token === undefined) visit.given = takeResumeCode();
    return visit;
  }

  #show(): void {
    const [before, now] = [this.#shown, (this.#visit as Visit).draft.getSnapshot()];
    this.#shown = now;
    this.#visit?.notice(before, now);
    this.#render();
    // Unsaved text stays on the device, but unfinished uploads are lost.
    if ('isUploading' in now && now.isUploading) addEventListener('beforeunload', this.#askFirst);
    else removeEventListener('beforeunload', this.#askFirst);
    for (const event of eventsBetween(before, now)) this.dispatchEvent(event);
  }

  #render(): void {
    if (!this.#visit || !this.shadowRoot) return;
    const app = { visit: this.#visit, snapshot: this.#shown, words: this.#currentWords };
    render(createElement(App, app), this.shadowRoot);
  }

  get #currentWords(): Words {
    const place = this.closest('[lang]') ?? document.documentElement;
    return (this.#words ??= wordsIn(place.getAttribute('lang') || 'en', this.#sentences));
  }
}
