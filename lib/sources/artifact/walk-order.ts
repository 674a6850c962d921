import { compareBytes, compareText } from '../../foundations/go/compare-text.ts'

/**
 * Sorts paths in the order of a directory walk: by name within each folder, and a folder followed by its contents. The
 * slash sorts before every other character.
 */
export const inWalkOrder = (paths: Iterable<string>): string[] => {
  const keyed = Array.from(paths, path => ({ path, key: path.replaceAll('/', '\0') }))
  // Without surrogates, JavaScript's order equals byte order and is faster.
  const compare = keyed.some(({ key }) => /[\ud800-\udfff]/.test(key)) ? compareBytes : compareText
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ path }) => path)
}
