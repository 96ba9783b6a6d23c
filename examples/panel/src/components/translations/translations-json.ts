/** The languages of a form, and its texts in one of them. */
export interface TranslationsJson extends ProgressJson {
  /** The language of the form's own texts. Null: not said. */
  readonly own: string | null;
  /** The language that the page was asked for. Null: none. */
  readonly chosen: ChosenLanguage | null;
}

export interface ProgressJson {
  /** How many texts can be translated: without those of retired fields, and without empty ones. */
  readonly total: number;
  readonly languages: readonly LanguageProgress[];
}

export interface LanguageProgress {
  readonly locale: string;
  readonly translated: number;
}

export interface ChosenLanguage {
  readonly locale: string;
  readonly groups: readonly TextGroup[];
}

/** The texts of the form itself, of a step with its fields, or of all entities. */
export interface TextGroup {
  readonly title: string;
  readonly texts: readonly TranslatedText[];
}

export interface TranslatedText extends TextName {
  /** Which text it is, such as: Option of “Country”. */
  readonly caption: string;
  readonly source: string;
  /** Empty: not translated. */
  readonly translation: string;
}

export interface TextName {
  /** The part of the form that has the text, such as `form` or `step 5`. */
  readonly owner: string;
  readonly key: string;
}

export interface Change extends TextName {
  /** Empty: delete the translation. */
  readonly text: string;
}
