import { SopsError } from '../sops-error.ts'
import { Branch, Comment, commentItem, type Item } from '../tree.ts'
import type { Format } from './format.ts'
import { requireText } from './plain-text.ts'

/** Lines of `KEY=value` and `#comments`; a line break within a value is written as `\n`. */
export const dotenv: Format = {
  title: 'dotenv',
  metadata: 'prefixed',
  read: content => [new Branch(new TextDecoder().decode(content).split('\n').filter(Boolean).map(readLine))],
  write: ([document]) => Buffer.from(document!.items.map(writeLine).join('')),
}

const readLine = (line: string, index: number): Item => {
  if (line.startsWith('#')) return commentItem(new Comment(line.slice(1)))
  const at = line.indexOf('=')
  if (at < 0) throw new SopsError('format', `invalid dotenv input: entry ${index + 1} has no =`)
  return { key: line.slice(0, at), value: line.slice(at + 1).replaceAll('\\n', '\n') }
}

const writeLine = ({ key, value }: Item): string => {
  if (key instanceof Comment) return `#${key.text}\n`
  return `${key}=${requireText(value, key).replaceAll('\n', '\\n')}\n`
}
