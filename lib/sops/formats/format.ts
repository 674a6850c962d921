import type { Branch } from '../tree.ts'

export type FormatName = 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary'

/** Reads documents of one format and writes them as sops does. */
export interface Format {
  /** As messages call it. */
  readonly title: string
  /** The documents of a file. Fails with SopsError `format`. */
  read(content: Uint8Array): readonly Branch[]
  write(documents: readonly Branch[]): Uint8Array
  /** Where the metadata stands: a nested `sops` mapping, one of flat keys, or flat keys among the document's own. */
  readonly metadata: 'nested' | 'section' | 'prefixed'
}
