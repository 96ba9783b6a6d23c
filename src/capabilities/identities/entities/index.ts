export { EndedIdentity } from './ended-identity.js';
export { UserIdentity } from './user-identity.js';
export { Identities1798000000006 } from '../migrations/0006-identities.js';
