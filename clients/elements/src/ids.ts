/** Ids of the elements that can have the focus. They are unique in the shadow root. */
export const HEADING = 'heading';
export const PROBLEMS = 'problems';
export const NOTICES = 'notices';
export const OTHER_DEVICE = 'other-device';
export const CODE = 'code';
export const CANCEL = 'cancel';
/** Encoded, because the name of an entity may contain white space. */
export const placeId = (key: string) => `place-${encodeURIComponent(key)}`;
export const labelId = (inputId: string) => `${inputId}-label`;
export const entryId = (recordId: number) => `entry-${recordId}`;
export const removeId = (recordId: number) => `remove-${recordId}`;
