// A module of its own, for pages that take codes from links: `formtrail-session/resume-link`.
/**
 * Takes a resume code from the page's address, as in `#resume=7QX2MK-4TBZC-…`, and removes it from the address bar and the history.
 * Undefined if there is none. Pass it to `draft.resume()` only after the user has confirmed: somebody else may have sent the link,
 * to read what the user enters in the draft of the code.
 */
export function takeResumeCode(): string | undefined {
  const { hash, pathname, search } = location;
  const [, code] = /^#resume=([\w-]+)$/.exec(hash) ?? [];
  if (code !== undefined) history.replaceState(history.state, '', pathname + search);
  return code;
}
