import { compareBytes, compareText } from '../../foundations/go/compare-text.ts'

/** Each folder's entries by name, a folder followed by what it holds: a slash sorts before every other character. */
export const inWalkOrder = (paths: Iterable<string>): string[] => {
  const keyed = Array.from(paths, path => ({ path, key: path.replaceAll('/', '\0') }))
  // Without surrogates the order of JavaScript, which is quicker, is that of the bytes.
  const compare = keyed.some(({ key }) => /[\ud800-\udfff]/.test(key)) ? compareBytes : compareText
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ path }) => path)
}
