import type { PackLimits } from './pack.ts'
import type { WorktreeLimits } from './worktree.ts'

/** Limits of one repository. */
export type GitLimits = PackLimits & WorktreeLimits & { readonly maxPackBytes: number }

const GB = 1 << 30

export const defaultLimits: GitLimits = {
  maxPackBytes: 2 * GB,
  maxObjects: 1_000_000,
  maxObjectBytes: 256 << 20,
  maxTotalBytes: 2 * GB,
  maxFiles: 300_000,
  maxEntries: 3_000_000,
  maxBytes: 2 * GB,
  maxDepth: 256,
}

/** For repositories whose files are all held in memory. */
export const inMemoryLimits: GitLimits = { ...defaultLimits, maxPackBytes: GB / 2, maxTotalBytes: GB, maxBytes: GB }
