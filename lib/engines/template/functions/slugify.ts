import { brotliDecompressSync } from 'node:zlib'
import { transliterations } from './transliterations.ts'

/** Replacements of some ASCII characters. */
const WORDS: Readonly<Record<string, string>> = { '&': 'and', '@': 'at', '"': '', "'": '' }

/** Truncates to 63 characters, the maximum for a label, between words if possible. */
const TOO_LONG = /(?=.{64})(.{0,63}(?=-)|.{63}).*/

/** Makes names for labels and DNS from text in any script: lower-case ASCII letters, digits, `-` and `_`. */
export const slugifier = (): ((text: string) => string) => {
  // Unpacked on first use: most texts are ASCII.
  let table: readonly string[] | undefined
  const toAscii = (character: string): string => {
    table ??= brotliDecompressSync(Buffer.from(transliterations, 'base64')).toString().split('\n')
    return table[character.codePointAt(0)! - 0x80] ?? ''
  }
  return text =>
    text
      .replace(/[&@"']/g, c => WORDS[c]!)
      .replace(/[^\0-\x7f]/gu, toAscii)
      .toLowerCase()
      .replace(/[^a-z0-9_-]/g, '-')
      .replace(/-+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '')
      .replace(TOO_LONG, '$1')
}
