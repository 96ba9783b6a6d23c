// What the element leaves to its page: where the token of a signed-in user is, and the menu and the buttons of the header. Runs before the element
// is defined.
const form = document.querySelector('formtrail-form');
const signIn = document.querySelector('#sign-in');
const about = document.querySelector('#about');
const signOut = document.querySelector('#sign-out');
const end = document.querySelector('#end');
const language = document.querySelector('#language');

const [sentence, title] = [about.textContent, document.title];

// The name has the service, so that no page for another service on this origin reads the token.
const ITEM = `formtrail:${form.getAttribute('url')}:token`;

/** Without storage, only this page knows the token. */
let own;

// The address keeps the language, so that a reload or a link shows the same.
const chosen = new URLSearchParams(location.search).get('locale');
if (chosen) form.setAttribute('locale', (language.value = chosen));
language.addEventListener('change', () => {
  form.setAttribute('locale', language.value);
  history.replaceState(null, '', `?locale=${language.value}${location.hash}`);
});

takeToken();
showToken();
addEventListener('hashchange', () => takeToken() && showToken());
// Signing in or out in another tab.
addEventListener('storage', ({ key }) => (key === ITEM || key === null) && showToken());

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  const input = signIn.querySelector('input');
  store('localStorage', input.value);
  input.value = '';
  showToken();
});

signOut.addEventListener('click', () => {
  store();
  location.hash = '#/';
  showToken();
});

end.addEventListener('click', async () => {
  const isSaved = await form.save();
  const loss = isSaved ? '' : 'Some answers or files are not saved. They will be deleted. ';
  const question = `${loss}This device forgets your answers to this form, and keeps those to other forms. To continue later, first make a code with “Continue on another device”.`;
  if (!confirm(question)) return;
  // Nothing is left on the device at once. If the service cannot be reached, the token expires there.
  form.signOut().catch(() => undefined);
  end.hidden = true;
  location.hash = '#/';
});

// The list, or another form.
new globalThis.MutationObserver(() => {
  end.hidden = true;
  document.title = title;
}).observe(form, { attributes: true, attributeFilter: ['form'] });
addEventListener('formtrail-open', () => (end.hidden = form.token !== undefined));
for (const name of ['formtrail-step', 'formtrail-review'])
  addEventListener(name, ({ detail }) => (document.title = `${detail.title} – Formtrail`));
addEventListener('formtrail-complete', () => (document.title = 'Thank you – Formtrail'));
addEventListener('formtrail-error', ({ detail: { error } }) => {
  if (error?.status !== 401 || form.token === undefined) return;
  about.textContent =
    'Your access token is invalid or has expired. Enter another one. Your answers are kept.';
  // In a form, the element keeps what was typed, and waits for another token. The list has the public forms. The token stays in the
  // storage, because without it the other tabs would act as after signing out.
  if (form.form === '') form.token = undefined;
});

/** Takes the token of a link, `#token=…`, or `#token=…/forms/UUID` for a preview, whose token is only for its tab. */
function takeToken() {
  const [, token, place = ''] = /^#token=([!-~]+?)(\/forms\/[\w-]+)?$/.exec(location.hash) ?? [];
  if (token === undefined) return false;
  history.replaceState(null, '', `${location.pathname}${location.search}#${place}`);
  store(place === '' ? 'localStorage' : 'sessionStorage', token);
  return true;
}

function showToken() {
  const token = stored();
  if (form.token !== token) form.token = token;
  about.textContent = sentence;
  signOut.hidden = token === undefined;
  if (token !== undefined) end.hidden = true;
}

function stored() {
  try {
    return sessionStorage.getItem(ITEM) ?? localStorage.getItem(ITEM) ?? undefined;
  } catch {
    return own;
  }
}

/** Keeps the token in this storage, or in none. */
function store(name, token) {
  own = token;
  try {
    // The token of a preview hides that of the user, who gets it back afterwards.
    const isPreview = name === undefined && sessionStorage.getItem(ITEM) !== null;
    sessionStorage.removeItem(ITEM);
    if (name !== undefined) window[name].setItem(ITEM, token);
    else if (!isPreview) localStorage.removeItem(ITEM);
  } catch {
    // The browser blocks storage.
  }
}
