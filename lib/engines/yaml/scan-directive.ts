import { isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isWord } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { scanHandle, scanUri } from './scan-tag.ts'
import { type Mark, type Token, token } from './token.ts'

/** Scans a `%YAML` or `%TAG` line. */
export const scanDirective = (cursor: Cursor): Token => {
  const start = cursor.mark()
  const from = ++cursor.pos
  while (isWord(cursor.at())) cursor.pos++
  const name = cursor.text.slice(from, cursor.pos)
  const skipBlanks = (): void => {
    while (isBlank(cursor.at())) cursor.pos++
  }
  if (name === '') throw cursor.fault('could not find expected directive name', start)
  if (!isBlankOrEnd(cursor.at())) throw cursor.fault('found unexpected non-alphabetical character', start)
  skipBlanks()
  let directive: Token
  if (name === 'YAML') {
    const major = scanVersionNumber(cursor, start)
    if (cursor.text[cursor.pos] !== '.') throw cursor.fault("did not find expected digit or '.' character", start)
    cursor.pos++
    directive = token('version-directive', start, `${major}.${scanVersionNumber(cursor, start)}`)
  } else if (name === 'TAG') {
    const handle = scanHandle(cursor, start)
    if (!handle.endsWith('!')) throw cursor.fault("did not find expected '!'", start)
    if (!isBlank(cursor.at())) throw cursor.fault('did not find expected whitespace', start)
    skipBlanks()
    directive = token('tag-directive', start, handle, '', scanUri(cursor, '', start))
    if (!isBlankOrEnd(cursor.at())) throw cursor.fault('did not find expected whitespace or line break', start)
  } else throw cursor.fault('found unknown directive name', start)
  skipBlanks()
  if (cursor.at() === 35) while (!isBreakOrEnd(cursor.at())) cursor.pos++
  if (!isBreakOrEnd(cursor.at())) throw cursor.fault('did not find expected comment or line break', start)
  cursor.takeBreak()
  return directive
}

const scanVersionNumber = (cursor: Cursor, start: Mark): number => {
  const from = cursor.pos
  while (isDigit(cursor.at())) cursor.pos++
  const digits = cursor.text.slice(from, cursor.pos)
  if (digits === '') throw cursor.fault('did not find expected version number', start)
  if (digits.length > 2) throw cursor.fault('found extremely long version number', start)
  return Number(digits)
}
