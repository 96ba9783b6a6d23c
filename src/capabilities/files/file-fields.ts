import { oncePerVersion } from '../../forms/extends-form.js';
import { FILE_COMPONENT } from '../../forms/field-types.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';

/** Whether the field holds files (U3). */
export const isFileField = ({ component }: PublishedField): boolean => component === FILE_COMPONENT;

export const hasFileFields = oncePerVersion((form: PublishedForm) => form.fields.some(isFileField));
