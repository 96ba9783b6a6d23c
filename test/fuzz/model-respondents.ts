import {
  type Expected,
  isText,
  objectIn,
  readJson,
  refuse,
  refuseName,
  refuseUnless,
} from './model-reading.js';
import type { ModelForm } from './model-types.js';
import type { Sender } from './request-plans.js';
import type { Request } from './requests.js';

interface Secret {
  readonly text: string;
  readonly expires_at: string;
}

const MAX_DRAFTS = 5;
const MAX_CODES = 5;
const NOT_A_RESPONDENT =
  'Only respondents can do this, with a token from POST /api/v1/respondents or POST /api/v1/resume.';

/** The respondents of a run (P2 to P5). Requests of "respondent" have the newest token. */
export class ModelRespondents {
  /** The newest token. It stays after its end, so that it is sent in vain. */
  token: string | undefined;
  /** All codes, including used ones. */
  readonly codes: string[] = [];
  private readonly formsOf = new Map<Sender, ModelForm>();
  private readonly openCodes = new Map<string, Sender>();
  private readonly seen = new Set<string>();
  private current: Sender = 'nobody';

  constructor(private readonly forms: readonly ModelForm[]) {}

  senderOf(who: Sender): Sender {
    return who === 'respondent' ? this.current : who;
  }

  mayBegin(who: Sender, form: ModelForm, drafts: number): boolean {
    const own = this.formsOf.get(who);
    return own === undefined || (own === form && drafts < MAX_DRAFTS);
  }

  create(request: Request, secret: Secret): Expected {
    const { form_uuid, proof } = objectIn(readJson(request));
    refuseUnless({ form_uuid: isText(form_uuid), proof: proof === undefined || isText(proof) });
    const uuid = String(form_uuid).toLowerCase();
    const found = this.forms.find(
      ({ form }) => form.uuid === uuid && form.is_active && form.access === 'public',
    );
    if (found === undefined) return refuseName('form_uuid');
    this.current = `respondent ${this.formsOf.size + 1}`;
    this.formsOf.set(this.current, found);
    return this.issued(secret);
  }

  createCode(request: Request, secret: Secret): Expected {
    readJson(request);
    this.requireRespondent(request);
    const open = [...this.openCodes.values()].filter((owner) => owner === request.who);
    if (open.length >= MAX_CODES)
      refuse(422, `There are already ${MAX_CODES} open codes. Use one of them, or wait until one expires.`);
    const code = this.isNew(secret, /^[0-9A-HJKMNP-TV-Z]{6}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/)
      ? secret.text
      : 'a new code';
    this.codes.push(code);
    this.openCodes.set(plain(code), request.who);
    return { status: 201, body: { data: { code, expires_at: timeOf(secret) } } };
  }

  resume(request: Request, secret: Secret): Expected {
    const { code } = objectIn(readJson(request));
    const owner = typeof code === 'string' ? this.openCodes.get(plain(code)) : undefined;
    if (owner === undefined) return refuseName('code');
    this.openCodes.delete(plain(code as string));
    this.current = owner;
    return this.issued(secret);
  }

  end(request: Request): Expected {
    readJson(request);
    this.requireRespondent(request);
    for (const [code, owner] of this.openCodes) if (owner === request.who) this.openCodes.delete(code);
    this.current = 'nobody';
    return { status: 204 };
  }

  private requireRespondent({ who }: Request): void {
    if (!this.formsOf.has(who)) refuse(422, NOT_A_RESPONDENT);
  }

  private issued(secret: Secret): Expected {
    this.token = this.isNew(secret, /^ftr_[\w-]{43}$/) ? secret.text : 'a new token';
    return { status: 201, body: { data: { token: this.token, expires_at: timeOf(secret) } } };
  }

  private isNew({ text }: Secret, pattern: RegExp): boolean {
    const isNew = pattern.test(text) && !this.seen.has(text);
    this.seen.add(text);
    return isNew;
  }
}

const timeOf = ({ expires_at }: Secret) =>
  new Date(expires_at).getTime() > Date.now() ? expires_at : 'a time in the future';

/** Letter case, hyphens, white space and similar characters do not matter (P5). */
const plain = (code: string) =>
  code.length > 100
    ? code
    : code.toUpperCase().replace(/[-\s]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
