// What only forms with files need: loaded when a draft of one is opened.
export { KnownFiles } from './known-files.js';
export { Uploads } from './uploads.js';
