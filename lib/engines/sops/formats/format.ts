import type { Budget } from '../../../foundations/budget/budget.ts'
import type { Branch } from '../tree.ts'

export type FormatName = 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary'

/** Reads documents of one format and writes them as sops does. */
export interface Format {
  /** The documents of a file. Fails with SopsError `format`, and with BudgetExceeded. */
  read(content: Uint8Array, budget?: Budget): readonly Branch[]
  write(documents: readonly Branch[]): Uint8Array
  /** The metadata is a nested `sops` mapping, unless it is one of flat keys, or flat keys stand among the document's own. */
  readonly metadata?: 'section' | 'prefixed'
}
