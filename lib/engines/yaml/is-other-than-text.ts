import { parseNodes } from './parse.ts'
import { isSurelyPlain } from './resolve.ts'
import { toJson } from './to-json.ts'

/** Whether a text, read as YAML 1.1, is anything but that text: a number, a boolean, null, a list, a mapping. */
export const isOtherThanText = (text: string): boolean => {
  if (text === '' || isSurelyPlain(text) || text.includes('\n')) return false
  try {
    const root = parseNodes(text)[0]
    return !root || typeof toJson(root, { schema: 'kubernetes' }) !== 'string'
  } catch {
    return false
  }
}
