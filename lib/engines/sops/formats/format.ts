import type { Budget } from '../../../foundations/budget/budget.ts'
import type { Branch } from '../tree.ts'

export type FormatName = 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary'

/** Reads documents of one format and writes them as sops does. */
export interface Format {
  /** The documents of a file. Fails with SopsError `format`, and with BudgetExceeded. */
  read(content: Uint8Array, budget?: Budget): readonly Branch[]
  write(documents: readonly Branch[]): Uint8Array
  /** Absent: a nested `sops` mapping. `section`: a `sops` mapping of flat keys. `prefixed`: flat keys among the document's own. */
  readonly metadata?: 'section' | 'prefixed'
}
