import { parseNodes } from './parse.ts'
import { toJson } from './to-json.ts'

const SURELY_TEXT = /^[a-eg-mp-su-xzA-EG-MP-SU-XZ/_][A-Za-z0-9_./-]*$/

/** Whether a text, read as YAML 1.1, is anything but that text: a number, a boolean, null, a list, a mapping. */
export const isOtherThanText = (text: string): boolean => {
  if (text === '' || SURELY_TEXT.test(text) || text.includes('\n')) return false
  try {
    const root = parseNodes(text)[0]
    return !root || typeof toJson(root, { schema: 'kubernetes' }) !== 'string'
  } catch {
    return false
  }
}
