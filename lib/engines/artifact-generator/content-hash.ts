import { adler32 } from '../../foundations/go/adler32.ts'
import { compareBytes } from '../../foundations/go/compare-text.ts'
import type { Files } from './files.ts'

/**
 * The hash of staged files that source-watcher names an artifact's file by: the Adler-32, in decimal, of a line with the Adler-32 and the path
 * of each file. Fails if a path contains a newline. A file name only: the digest of the packed files identifies the content.
 */
export const contentHash = (name: string, files: Files): string => {
  const lines = [...files.keys()].map(path => `${name}/${path}`).toSorted(compareBytes)
  if (lines.some(path => path.includes('\n'))) throw new Error('filenames with newlines are not supported')
  const hashed = lines.map(
    path => `${adler32(files.get(path.slice(name.length + 1))!.content).toString(16)}  ${path}\n`,
  )
  return String(adler32(hashed.join('')))
}
