// A chunk of its own, loaded only when the opened form has file fields.
export { KnownFiles } from './known-files.js';
export { Uploads } from './uploads.js';
