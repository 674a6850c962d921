import { isUtf8 } from 'node:buffer'
import { SopsError } from '../sops-error.ts'
import { Branch, Comment, commentItem, type Item } from '../tree.ts'
import type { Format } from './format.ts'
import { requireBytes } from './plain-text.ts'

/** Lines of `KEY=value` and `#comments`; a line break within a value is written as `\n`. */
export const dotenv: Format = {
  metadata: 'prefixed',
  read: content => [new Branch(Buffer.from(content).toString('latin1').split('\n').filter(Boolean).map(readLine))],
  write: ([document]) => Buffer.concat(document!.items.map(writeLine)),
}

/** Of a line with a character for each byte: a value need not be UTF-8. */
const readLine = (line: string, index: number): Item => {
  if (line.startsWith('#')) return commentItem(new Comment(bytesOf(line.slice(1)).toString()))
  const at = line.indexOf('=')
  if (at < 0) throw new SopsError('format', `invalid dotenv input: entry ${index + 1} has no =`)
  const value = bytesOf(line.slice(at + 1).replaceAll('\\n', '\n'))
  return { key: bytesOf(line.slice(0, at)).toString(), value: isUtf8(value) ? value.toString() : value }
}

const bytesOf = (characters: string): Buffer => Buffer.from(characters, 'latin1')

const writeLine = ({ key, value }: Item): Buffer => {
  if (key instanceof Comment) return Buffer.from(`#${key.text}\n`)
  const line = requireBytes(value, key).toString('latin1').replaceAll('\n', '\\n')
  return Buffer.concat([Buffer.from(`${key}=`), bytesOf(`${line}\n`)])
}
