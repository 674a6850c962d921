import { isBlank, isBlankOrEnd, isBreakOrEnd, isWord } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { scanHandle, scanUri } from './scan-tag.ts'
import { type Token, token } from './token.ts'

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
    const version = /^\d+\.\d+/.exec(cursor.text.slice(cursor.pos, cursor.pos + 20))?.[0]
    if (!version) throw cursor.fault('did not find expected version number', start)
    cursor.pos += version.length
    directive = token('version-directive', start, version)
  } else if (name === 'TAG') {
    const handle = scanHandle(cursor, start)
    skipBlanks()
    directive = token('tag-directive', start, handle, '', scanUri(cursor, '', start))
  } else throw cursor.fault('found unknown directive name', start)
  skipBlanks()
  if (cursor.at() === 35) while (!isBreakOrEnd(cursor.at())) cursor.pos++
  if (!isBreakOrEnd(cursor.at())) throw cursor.fault('did not find expected comment or line break', start)
  cursor.takeBreak()
  return directive
}
