export const TYPE_GROUPS = ['Text', 'Choice', 'Other'] as const;
export type TypeGroup = (typeof TYPE_GROUPS)[number];

/** How the panel shows a field type to people. */
export interface ShownType {
  readonly words: string;
  readonly group: TypeGroup;
  /** Name of an icon of AdminJS. */
  readonly icon: string;
  /** Order among the types of its group. */
  readonly position: number;
}

interface NamedType {
  readonly name: string;
  readonly component: string;
}

/** By component. `name` is the type that a new database has. */
const KNOWN: Readonly<Record<string, Omit<ShownType, 'position'> & { readonly name: string }>> = {
  'text-input': { name: 'text', words: 'Short text', group: 'Text', icon: 'Type' },
  'textarea-input': { name: 'textarea', words: 'Long text', group: 'Text', icon: 'AlignLeft' },
  'email-input': { name: 'email', words: 'Email address', group: 'Text', icon: 'AtSign' },
  'number-input': { name: 'number', words: 'Number', group: 'Text', icon: 'Hash' },
  'radio-input': { name: 'radio', words: 'One choice', group: 'Choice', icon: 'CheckCircle' },
  'select-input': { name: 'select', words: 'Drop-down list', group: 'Choice', icon: 'ChevronDown' },
  'checkbox-input': { name: 'checkbox', words: 'Tick boxes', group: 'Choice', icon: 'CheckSquare' },
  'date-input': { name: 'date', words: 'Date', group: 'Other', icon: 'Calendar' },
  'file-input': { name: 'file', words: 'File', group: 'Other', icon: 'Paperclip' },
  'heading-display': { name: 'heading', words: 'Heading', group: 'Other', icon: 'Bookmark' },
  'paragraph-display': { name: 'paragraph', words: 'Paragraph to read', group: 'Other', icon: 'FileText' },
};

/** A type of one's own keeps its name, even if its component is a known one. */
export function shownType({ name, component }: NamedType): ShownType {
  const position = Object.keys(KNOWN).indexOf(component);
  const known = position < 0 ? undefined : KNOWN[component];
  // Types of one's own are the last.
  if (known === undefined) return { words: name, group: 'Other', icon: 'Box', position: Infinity };
  const { group, icon } = known;
  return known.name === name
    ? { words: known.words, group, icon, position }
    : { words: name, group, icon, position: Infinity };
}
