import { parseNodes } from './parse.ts'
import { isDefinitelyPlain } from './resolve.ts'
import { toJson } from './to-json.ts'

/** Whether YAML 1.1 reads a text as anything but that string: a number, boolean, null, list or mapping. */
export const resolvesToOtherType = (text: string): boolean => {
  if (text === '' || isDefinitelyPlain(text) || text.includes('\n')) return false
  try {
    const root = parseNodes(text)[0]
    return !root || typeof toJson(root, { schema: 'kubernetes' }) !== 'string'
  } catch {
    return false
  }
}
