import type { DraftSnapshot } from 'formtrail-session';
import type { Visit } from '../visit.js';

/** A form, a submission of it (`new` until it is begun), and a step by its id, or the review. */
const ADDRESS = /^#\/forms\/([\w-]+)(?:\/([\w-]+)(?:\/(?:step-(\d{1,10})|(review)))?)?$/;

/** A link with a resume code. The visit takes the code. */
const RESUME = /^#(resume=[\w-]+)\/forms\/([\w-]+)$/;

interface Host {
  readonly visit: () => Visit | undefined;
  /** The attributes of the element. */
  readonly current: () => { readonly form: string; readonly submission: string | null };
  /** Without a form, leads to the list. */
  readonly open: (form: string | undefined, submission: string | undefined, takesFocus: boolean) => void;
}

/** Keeps the step that the person is on in the fragment of the address, so that the browser's buttons lead to the steps. */
export class Address {
  /** The step to show when the draft is open. */
  private wanted: number | 'review' | undefined;
  private isLeading = false;
  /** The draft whose step the address shows. */
  private shown: string | undefined;
  /** The person comes from the list, to which the browser's Back button leads. */
  private isFromList = false;

  constructor(private readonly host: Host) {}

  start(): void {
    addEventListener('hashchange', this.read);
    this.read(undefined);
  }

  stop(): void {
    removeEventListener('hashchange', this.read);
  }

  /** Call it after each snapshot; without one, the list is shown. */
  follow(snapshot?: DraftSnapshot): void {
    if (snapshot === undefined) {
      if (ADDRESS.test(location.hash)) history.pushState(null, '', '#/');
      this.shown = undefined;
      this.isFromList = true;
      return;
    }
    if (!('form' in snapshot) || snapshot.busy !== undefined || this.isLeading) return;
    const { host, wanted } = this;
    const visit = host.visit() as Visit;
    this.wanted = undefined;
    if (wanted !== undefined && snapshot.status === 'open') {
      void this.lead(visit, wanted);
      return;
    }
    const draft = `#/forms/${host.current().form}/${snapshot.submission ?? 'new'}`;
    const step = visit.isReviewing ? 'review' : `step-${snapshot.step?.id}`;
    const address = snapshot.status === 'open' ? `${draft}/${step}` : draft;
    // A draft that has just begun, or was opened by its address, replaces it.
    const isNext = this.isFromList || (this.shown === draft && snapshot.status === 'open');
    Object.assign(this, { shown: draft, isFromList: false });
    if (address === location.hash) return;
    if (isNext) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }

  private readonly read = (event: Event | undefined): void => {
    const { host } = this;
    const [, code, resumed] = RESUME.exec(location.hash) ?? [];
    if (code !== undefined) {
      history.replaceState(null, '', `#${code}`);
      host.open(resumed, undefined, event !== undefined);
      return;
    }
    const [, form, submission, step, review] = ADDRESS.exec(location.hash) ?? [];
    this.wanted = review ? 'review' : step === undefined ? undefined : Number(step);
    const visit = host.visit();
    // Without a step in the address, the attributes say what to open first. Other fragments belong to the page.
    if (form === undefined && (event === undefined || !/^(#\/?)?$/.test(location.hash))) return;
    const current = host.current();
    const opened = visit?.submission ?? current.submission ?? 'new';
    if (form !== current.form || (submission !== undefined && submission !== opened)) {
      host.open(form, submission === 'new' ? undefined : submission, event !== undefined);
      return;
    }
    // Before the draft is open, the step waits.
    const snapshot = visit?.draft.getSnapshot();
    if (snapshot?.status === 'open' && this.wanted !== undefined) this.follow(snapshot);
  };

  /** Errors of answers may stop the person. Then the address leads back. */
  private async lead(visit: Visit, place: number | 'review'): Promise<void> {
    this.isLeading = true;
    await visit.lead(place).finally(() => (this.isLeading = false));
    const snapshot = visit.draft.getSnapshot();
    if (snapshot.status !== 'open' || visit !== this.host.visit()) return;
    this.shown = undefined;
    this.follow(snapshot);
  }
}
