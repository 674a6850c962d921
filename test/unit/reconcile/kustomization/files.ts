import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import { fileSystemOf } from '../../../../lib/sources/artifact/file-system.ts'

/** A tree of text files, as builds see one. */
export const filesOf = (contents: Readonly<Record<string, string>>): FileSystem =>
  fileSystemOf(
    new Map(Object.entries(contents).map(([path, text]) => [path, { content: Buffer.from(text), executable: false }])),
  )
