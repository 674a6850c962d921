import { type FunctionMap, TemplateFunction } from '../values/value.ts'
import { requireAmount } from './amount.ts'

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')

/** sprig's functions with random results. */
export const randomFunctions = (random: Random): FunctionMap => {
  const byte = (): number => Math.floor(random() * 256)
  const bytes = (count: number): Buffer => {
    requireAmount(count, 'number of bytes')
    if (count < 0) throw new Error('runtime error: makeslice: len out of range')
    return Buffer.from(Array.from({ length: count }, byte))
  }
  const textOf = (alphabet: string) =>
    new TemplateFunction(['int'], (count: number) => {
      requireAmount(count, 'length of the text')
      return Array.from({ length: Math.max(0, count) }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
    })
  const uuid = (): string => {
    const raw = bytes(16)
    raw[6] = (raw[6]! & 0x0f) | 0x40
    raw[8] = (raw[8]! & 0x3f) | 0x80
    return raw.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }
  return new Map([
    ['randAlpha', textOf(LETTERS)],
    ['randAlphaNum', textOf(LETTERS + DIGITS)],
    ['randNumeric', textOf(DIGITS)],
    ['randAscii', textOf(ASCII)],
    ['randBytes', new TemplateFunction(['int'], (count: number) => bytes(count).toString('base64'))],
    ['uuidv4', new TemplateFunction([], uuid)],
  ])
}
