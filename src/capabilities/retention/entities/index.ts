export { Erasure, ERASURE_KINDS, ERASURE_REASONS, type ErasureKind, type ErasureReason } from './erasure.js';
export { HeldSubmission } from './held-submission.js';
export { ErasedUsers1798000000042 } from '../migrations/0042-erased-users.js';
export {
  HeldContents1798000000048,
  HeldFiles1798000000041,
  HeldRecords1798000000040,
  HeldValues1798000000039,
} from '../migrations/0039-held-parts.js';
export { Retention1798000000038 } from '../migrations/0038-retention.js';
