import { SopsError } from '../sops-error.ts'
import { Branch, Comment, commentItem, type Item } from '../tree.ts'
import type { Format } from './format.ts'
import { requireBytes } from './plain-text.ts'

/** Lines of `KEY=value` and `#comments`; a line break within a value is written as `\n`. */
export const dotenv: Format = {
  metadata: 'prefixed',
  read: content => [new Branch(Buffer.from(content).toString().split('\n').filter(Boolean).map(readLine))],
  write: ([document]) => Buffer.concat(document!.items.map(writeLine)),
}

const readLine = (line: string, index: number): Item => {
  if (line.startsWith('#')) return commentItem(new Comment(line.slice(1)))
  const at = line.indexOf('=')
  if (at < 0) throw new SopsError('format', `invalid dotenv input: entry ${index + 1} has no =`)
  return { key: line.slice(0, at), value: line.slice(at + 1).replaceAll('\\n', '\n') }
}

const writeLine = ({ key, value }: Item): Buffer => {
  if (key instanceof Comment) return Buffer.from(`#${key.text}\n`)
  // As bytes: the value need not be UTF-8.
  const line = requireBytes(value, key).toString('latin1').replaceAll('\n', '\\n')
  return Buffer.concat([Buffer.from(`${key}=`), Buffer.from(`${line}\n`, 'latin1')])
}
