import { FormtrailClient } from 'formtrail-client';
import { Draft, type DraftSnapshot } from 'formtrail-session';
import { mainLanguage } from 'formtrail-session/languages';
import { takeResumeCode } from 'formtrail-session/resume-link';
import { createElement, render } from 'preact';
import { errorEvent, eventsBetween, reviewEvent } from './events.js';
import { followInputs } from './own-inputs.js';
import type { Address } from './parts/address.js';
import type { GivenSentences } from './sentences.js';
import css from './styles.css?inline';
import type { FormtrailToken } from './types.js';
import { App, Loading, Stopped } from './view/app.js';
import { Visit } from './visit.js';
import { localeOf, type Words, wordsIn } from './words.js';

/** Scripts that only some pages load. English is in the element. */
const LANGUAGES = {
  ar: () => import('./languages/ar.js'),
  de: () => import('./languages/de.js'),
  es: () => import('./languages/es.js'),
  fr: () => import('./languages/fr.js'),
};
const PARTS = {
  ...LANGUAGES,
  address: () => import('./parts/address.js'),
  device: () => import('./parts/device.js'),
  list: () => import('./parts/list.js'),
  outline: () => import('./parts/outline.js'),
  page: () => import('./parts/page.js'),
};
type PartName = keyof typeof PARTS;
/** Undefined if the script could not be loaded. */
type Parts = { [Name in PartName]?: Awaited<ReturnType<(typeof PARTS)[Name]>> | undefined };

/** The attributes that need the part `page`. */
const PAGE_ATTRIBUTES = ['prefill', 'completed-url', 'height-origin'];

/** Frameworks may set these properties before the element is defined. */
const SET_BEFORE = [
  ...(['token', 'sentences', 'form', 'url', 'submission', 'locale'] as const),
  ...(['remember', 'list', 'outline', 'address', 'prefill', 'completedUrl', 'heightOrigin'] as const),
];

/** A server has no elements, but may import the module of a page. */
const Base = typeof HTMLElement === 'undefined' ? (Object as unknown as typeof HTMLElement) : HTMLElement;

/** `<formtrail-form form="slug" url="https://forms.example.org">`: a form of Formtrail to fill in. */
export class FormtrailFormElement extends Base {
  static readonly observedAttributes = [
    'form',
    'url',
    'submission',
    'lang',
    'locale',
    'list',
    'outline',
    'height-origin',
  ];

  #token: FormtrailToken | undefined;
  #sentences: GivenSentences = {};
  #words: Words | undefined;
  /** The words are those of the language and the sentences of now. */
  #isCurrent = false;
  #visit: Visit | undefined;
  #unsubscribe: (() => void) | undefined;
  #shown: DraftSnapshot = { status: 'loading' };
  #isOutdated = false;
  /** The draft that `submission="new"` has begun. */
  #begun: string | undefined;
  #parts: Parts = {};
  readonly #loading = new Map<PartName, Promise<void>>();
  #address: Address | undefined;
  #stopHeight: (() => void) | undefined;
  /** Id of the step that the review follows, while it is shown. */
  #reviewedAt: number | undefined;
  #stopFollowing: (() => void) | undefined;
  /** Where the browser goes after completion. */
  #goesTo: string | undefined;
  /** The person has asked for the list, so it takes the focus. */
  #takesFocus = false;
  /** Another number loads the list again. */
  #listNumber = 0;
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

  /** UUID of the submission to open, or `new`. By default, the newest draft of the form. */
  get submission(): string | null {
    return this.getAttribute('submission');
  }
  set submission(submission: string | null) {
    this.#set('submission', submission);
  }

  /** Language of the texts and of the form, such as `de-AT`. By default, that of the place on the page. */
  get locale(): string | null {
    return this.getAttribute('locale');
  }
  set locale(locale: string | null) {
    this.#set('locale', locale);
  }

  /** Values to begin with: `url`, for the query of the page's address, or a JSON object. Set it before the form opens. */
  get prefill(): string | null {
    return this.getAttribute('prefill');
  }
  set prefill(prefill: string | null) {
    this.#set('prefill', prefill);
  }

  /** Where the browser goes after the person has submitted the answers. */
  get completedUrl(): string | null {
    return this.getAttribute('completed-url');
  }
  set completedUrl(url: string | null) {
    this.#set('completed-url', url);
  }

  /** Origin of the page that has this page in an iframe, and gets its height. */
  get heightOrigin(): string | null {
    return this.getAttribute('height-origin');
  }
  set heightOrigin(origin: string | null) {
    this.#set('height-origin', origin);
  }

  /** Keeps the token of a visitor when the tab is closed. Do not set it on shared devices. */
  get remember(): boolean {
    return this.hasAttribute('remember');
  }
  set remember(remember: boolean) {
    this.toggleAttribute('remember', remember);
  }

  /** Shows the user's drafts, the forms, and the submitted forms, while there is no `form`. */
  get list(): boolean {
    return this.hasAttribute('list');
  }
  set list(list: boolean) {
    this.toggleAttribute('list', list);
  }

  /** Shows the steps of the form. Those that the person has reached are buttons. */
  get outline(): boolean {
    return this.hasAttribute('outline');
  }
  set outline(outline: boolean) {
    this.toggleAttribute('outline', outline);
  }

  /** Keeps the form and the step in the fragment of the page's address. Set it on one element of a page, before it is connected. */
  get address(): boolean {
    return this.hasAttribute('address');
  }
  set address(address: boolean) {
    this.toggleAttribute('address', address);
  }

  /** Token of a signed-in user, or a function that returns it. Without one, the user is a visitor of a public form. */
  get token(): FormtrailToken | undefined {
    return this.#token;
  }
  set token(token: FormtrailToken | undefined) {
    const isSameUser = this.#token !== undefined && token !== undefined;
    this.#token = token;
    if (isSameUser && this.#visit) this.#visit.draft.retry();
    else {
      this.#reopen();
      // The inputs for the token disappear, or the draft of the visitor.
      if (this.contains(document.activeElement)) this.#takeFocus();
    }
  }

  get sentences(): GivenSentences {
    return this.#sentences;
  }
  set sentences(sentences: GivenSentences) {
    this.#sentences = sentences;
    this.#isCurrent = false;
    this.#render();
  }

  /** Saves what was typed. Resolves to false if something is not saved, such as a file that is still being uploaded. */
  async save(): Promise<boolean> {
    await this.#visit?.draft.save();
    const shown = this.#visit?.draft.getSnapshot();
    return shown?.status !== 'open' || ['saved', 'unchanged'].includes(shown.saving.kind);
  }

  /** Ends the token of a visitor for the form, and deletes it from the device. Drafts of other forms stay. */
  async signOut(): Promise<void> {
    await this.#visit?.draft.signOut();
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      this.attachShadow({ mode: 'open' });
      this.#style(css);
      for (const name of SET_BEFORE) this.#adopt(name);
    }
    this.#isCurrent = false;
    this.#stopFollowing = followInputs(() => this.#render());
    this.#update();
  }

  disconnectedCallback(): void {
    this.#stopFollowing?.();
    this.#update();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    this.#isCurrent = false;
    if (name === 'submission' || name === 'form') this.#begun = undefined;
    if (name === 'height-origin') this.#forgetHeight();
    if (name === 'lang' || name === 'locale') {
      void this.#visit?.draft.setLocale(this.#tag);
      this.#render();
    } else if (name === 'outline' || name === 'height-origin') this.#update();
    else this.#reopen();
  }

  /** Takes over a property that was set before the element was defined. */
  #adopt(name: (typeof SET_BEFORE)[number]): void {
    if (!Object.hasOwn(this, name)) return;
    const { [name]: value } = this;
    Reflect.deleteProperty(this, name);
    Reflect.set(this, name, value);
  }

  #set(attribute: string, value: string | null): void {
    if (value === null) this.removeAttribute(attribute);
    else this.setAttribute(attribute, value);
  }

  #style(text: string): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    this.shadowRoot?.adoptedStyleSheets.push(sheet);
  }

  #reopen(): void {
    this.#isOutdated = true;
    this.#update();
  }

  /** Waits, because a page may set several attributes at once, or move the element. */
  #update(): void {
    queueMicrotask(() => {
      if (!this.isConnected || this.#isOutdated) this.#close();
      if (!this.isConnected) {
        this.#address?.stop();
        this.#address = undefined;
        this.#forgetHeight();
        return;
      }
      if (this.outline) this.#load('outline');
      if (this.#needsPage && !this.#load('page')) return;
      if (this.heightOrigin !== null) this.#stopHeight ??= this.#parts.page?.sendHeight(this.heightOrigin);
      // The address says which form to open.
      if (this.address && !this.#load('address')) return;
      if (this.address && !this.#address) this.#follow();
      if (this.form === '') this.#showList();
      else if (!this.#unsubscribe) this.#open();
      else this.#render();
    });
  }

  /** Returns true if the part is loaded, or cannot be loaded. If neither, begins to load it. */
  #load(name: PartName): boolean {
    if (name in this.#parts) return true;
    if (this.#loading.has(name)) return false;
    const loaded = (part?: Parts[PartName]) => {
      this.#parts = { ...this.#parts, [name]: part };
      this.#loading.delete(name);
      if (part && 'css' in part) this.#style(part.css);
      this.#update();
    };
    const loading = PARTS[name]().then(loaded, (error: unknown) => {
      loaded();
      this.dispatchEvent(errorEvent(error));
    });
    this.#loading.set(name, loading);
    return false;
  }

  #loadAgain(name: PartName): void {
    const { [name]: _, ...others } = this.#parts;
    this.#parts = others;
    this.#update();
  }

  get #needsPage(): boolean {
    return PAGE_ATTRIBUTES.some((name) => this.hasAttribute(name));
  }

  #forgetHeight(): void {
    this.#stopHeight?.();
    this.#stopHeight = undefined;
  }

  #follow(): void {
    this.#address =
      this.#parts.address &&
      new this.#parts.address.Address({
        visit: () => this.#visit,
        current: () => this,
        open: (form, submission, takesFocus) => {
          if (form !== undefined || this.list) this.#lead(form, submission, takesFocus);
        },
      });
    this.#address?.start();
  }

  /** Leads to a form, or to the list. */
  #lead(form = '', submission?: string, takesFocus = true): void {
    this.submission = submission ?? null;
    this.form = form;
    this.#takesFocus = false;
    this.#reopen();
    if (takesFocus) this.#takeFocus();
  }

  /** Call it after `#reopen()`. */
  #takeFocus(): void {
    this.#takesFocus = true;
    queueMicrotask(() => void this.#visit?.opened());
  }

  #showList(): void {
    if (this.#isOutdated) this.#listNumber += 1;
    this.#visit = undefined;
    this.#isOutdated = false;
    if (this.list) this.#load('list');
    this.#render();
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

  #client(onWait?: (wait: { readonly seconds: number }) => void): FormtrailClient {
    const token = () => (typeof this.#token === 'function' ? this.#token() : this.#token);
    return new FormtrailClient({ ...(this.url !== '' && { url: this.url }), token, onWait });
  }

  #begin(): Visit {
    const { form, submission, remember } = this;
    const { page } = this.#parts;
    const client = this.#client(({ seconds }) => visit.wait(seconds));
    const draft = new Draft({
      ...{ client, form, remember, prefill: page?.prefillOf(this.prefill) },
      locale: this.#tag,
      submission: submission === 'new' ? (this.#begun ?? null) : (submission ?? undefined),
    });
    this.#shown = { status: 'loading' };
    this.#reviewedAt = undefined;
    this.#goesTo = page?.completedUrlOf(this.completedUrl);
    const visit = new Visit(draft, {
      root: this.shadowRoot as ShadowRoot,
      words: () => this.#currentWords,
      render: () => this.#render(),
      start: () => this.#update(),
      reopen: () => {
        this.submission = null;
        this.#reopen();
        this.#takeFocus();
      },
      place: () => (this.#address ? `/forms/${form}` : ''),
      leave: () => (this.list ? () => this.#lead() : undefined),
      outline: () => (this.outline ? this.#parts.outline?.Outline : undefined),
      device: () => (this.#load('device') ? (this.#parts.device ?? null) : undefined),
      deviceLoaded: async () => {
        if (!this.#load('device')) await this.#loading.get('device');
      },
      loadDeviceAgain: () => this.#loadAgain('device'),
    });
    const code = takeResumeCode();
    if (this.#token === undefined) visit.given = code;
    return visit;
  }

  #show(): void {
    const [before, now] = [this.#shown, (this.#visit as Visit).draft.getSnapshot()];
    this.#shown = now;
    this.#visit?.notice(before, now);
    if (this.submission === 'new' && 'form' in now) this.#begun = now.submission;
    this.#render();
    if (this.#mayLose(now)) addEventListener('beforeunload', this.#askFirst);
    else removeEventListener('beforeunload', this.#askFirst);
    for (const event of eventsBetween(before, now, this.#visit?.isReviewing === true)) {
      this.dispatchEvent(event);
      if (event.type !== 'formtrail-complete') continue;
      if (this.#goesTo !== undefined) location.assign(this.#goesTo);
    }
  }

  /** Unsaved text stays on the device, except that of another draft, but unfinished uploads are lost. */
  #mayLose(shown: DraftSnapshot): boolean {
    if (shown.status !== 'open') return false;
    const isOther = this.submission === 'new' && shown.submission === undefined;
    return shown.isUploading || (isOther && shown.saving.kind !== 'unchanged');
  }

  #render(): void {
    if (!this.shadowRoot) return;
    render(this.#page(), this.shadowRoot);
    this.#reportReview();
    if (this.#visit) this.#address?.follow(this.#shown);
    else if (this.form === '') this.#address?.follow();
  }

  /** The review is no part of the snapshot, and neither is the return to its step. */
  #reportReview(): void {
    const shown = this.#shown;
    if (shown.status !== 'open' || !this.#visit) return;
    const { isReviewing } = this.#visit;
    if (isReviewing === (this.#reviewedAt !== undefined)) return;
    const isElsewhere = !isReviewing && shown.step?.id !== this.#reviewedAt;
    this.#reviewedAt = isReviewing ? (shown.step?.id ?? 0) : undefined;
    if (!isElsewhere) this.dispatchEvent(reviewEvent(shown, isReviewing, this.#currentWords.text.review));
  }

  /** The content in the direction of its language. */
  #page() {
    if (!this.#visit && (this.form !== '' || !this.list)) return null;
    const words = this.#currentWords;
    // The first paint waits for the language, so that no text changes after it.
    if (!this.#isCurrent && !this.shadowRoot?.firstChild) return null;
    const { locale, direction } = words;
    return createElement('div', { lang: locale, dir: direction }, this.#content(words));
  }

  #content(words: Words) {
    if (this.#visit) return createElement(App, { visit: this.#visit, snapshot: this.#shown, words });
    if (!('list' in this.#parts)) return createElement(Loading, { words });
    const { list } = this.#parts;
    if (!list) return this.#withoutList(words);
    return createElement(list.List, {
      ...{
        key: this.#listNumber,
        client: this.#client(),
        words,
        locale: this.#tag,
        takesFocus: this.#takesFocus,
      },
      onOpen: (form: string, submission?: string) => this.#lead(form, submission),
      onError: (error: unknown) => this.dispatchEvent(errorEvent(error)),
    });
  }

  /** The script of the list could not be loaded. */
  #withoutList({ text }: Words) {
    const onAction = () => {
      this.#takesFocus = true;
      this.#loadAgain('list');
    };
    return createElement(Stopped, { title: text.failed, action: text.tryAgain, onAction });
  }

  /** Undefined if neither the attribute nor the page says it. */
  get #language(): string | undefined {
    return (
      this.locale || (this.closest('[lang]') ?? document.documentElement).getAttribute('lang') || undefined
    );
  }

  /** The language of the form. */
  get #tag(): string | undefined {
    const language = this.#language;
    return language && localeOf(language).baseName;
  }

  /** While the script of another language is loading, the words of the language before. */
  get #currentWords(): Words {
    if (this.#isCurrent && this.#words) return this.#words;
    const language = this.#language ?? 'en';
    const name = mainLanguage(language) as keyof typeof LANGUAGES;
    this.#isCurrent = !Object.hasOwn(LANGUAGES, name) || this.#load(name);
    if (this.#isCurrent || !this.#words)
      this.#words = wordsIn(language, this.#sentences, this.#parts[name]?.texts);
    return this.#words;
  }
}
