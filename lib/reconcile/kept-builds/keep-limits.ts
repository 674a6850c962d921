import type { KeepLimits } from '../../foundations/rules/kept-builds.ts'

interface KeepSettings {
  readonly undoLimit: number
  readonly undoTtlMs: number
  readonly keepsApplied?: boolean
}

/** What is kept of a unit: besides what it has applied, as many earlier builds as there are for an undo. Without an undo nothing, unless what is applied is kept for comparisons. */
export const keepLimitsOf = ({ undoLimit, undoTtlMs, keepsApplied = false }: KeepSettings): KeepLimits => ({
  count: undoLimit > 0 || keepsApplied ? undoLimit + 1 : 0,
  ttlMs: undoTtlMs,
})
