import { RE2JS } from 're2js';

/** A pattern of RE2 (J2): it has nothing whose matching takes more than linear time. */
export interface Pattern {
  /** Whether the whole text matches. */
  readonly matches: (text: string) => boolean;
}

/** The pattern, or in a few words why it is none. */
export function compilePattern(source: string): Pattern | string {
  try {
    const pattern = RE2JS.compile(source);
    return { matches: (text) => pattern.testExact(text) };
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /, '');
  }
}
