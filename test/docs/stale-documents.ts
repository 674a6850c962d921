import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Generator } from './generator.ts'

/** The documents of a generator that are not as it makes them now, and what they should hold. */
export const staleDocuments = async (
  generator: Generator,
  root: string,
): Promise<{ readonly path: string; readonly content: string }[]> => {
  const current = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  return Object.entries(await generator.make(root))
    .map(([path, content]) => ({ path, content }))
    .filter(({ path, content }) => current(path) !== content)
}
