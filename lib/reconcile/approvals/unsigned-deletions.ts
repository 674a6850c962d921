import type { Restraining } from '../windows/restraint.ts'

/** Why deletions wait that are in no signed approval. */
export const unsignedDeletions: Restraining = {
  reason: 'ApprovalRequired',
  why: 'the runner deletes only what a signed approval lists, and these objects are in none',
}
