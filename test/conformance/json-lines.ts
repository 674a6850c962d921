import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One JSON value a line. */
export const jsonLines = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as T)

/** The same of a file in a folder; none when a part of a corpus lacks the file. */
export const jsonLinesIn = <T>(directory: string, file: string): T[] =>
  existsSync(join(directory, file)) ? jsonLines(join(directory, file)) : []
