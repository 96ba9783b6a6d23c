export interface ImportedForm {
  readonly slug: string;
  readonly uuid: string;
  readonly version: number;
  readonly change: 'created' | 'changed' | 'unchanged';
}
