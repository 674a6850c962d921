import { SopsError } from '../sops-error.ts'
import { Branch, type Item, type SopsValue } from '../tree.ts'

const maxDepth = 500
const token = /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null))/y

/**
 * Reads a JSON object with its keys in order and integers distinct from floats. (`JSON.parse` moves numeric keys to the front, and sops
 * authenticates values in document order.) Ignores what follows the object, as sops does.
 */
export const readJsonObject = (text: string): Branch => {
  const next = tokensOf(text)
  if (next().mark !== '{') throw malformed('a top-level object is needed')
  return readObject(next, 1)
}

/** A bracket, comma or colon; or a scalar. */
type Token =
  | { readonly mark: string; readonly scalar?: undefined }
  | { readonly mark?: undefined; readonly scalar: SopsValue }
type Next = () => Token

const tokensOf = (text: string): Next => {
  const scan = new RegExp(token)
  return () => {
    const match = scan.exec(text)
    if (!match) throw malformed('the text breaks off or is not JSON')
    const [, mark, string, number, word] = match
    if (mark) return { mark }
    if (string) return { scalar: (parseScalar(string) as string).toWellFormed() }
    if (number) return { scalar: numberOf(number) }
    return { scalar: word === 'null' ? null : word === 'true' }
  }
}

const readValue = (first: Token, next: Next, depth: number): SopsValue => {
  if (first.mark === undefined) return first.scalar
  if (depth > maxDepth) throw malformed(`more than ${maxDepth} levels`)
  if (first.mark === '{') return readObject(next, depth)
  if (first.mark === '[') return readList(next, depth)
  throw malformed(`unexpected ${first.mark}`)
}

const readObject = (next: Next, depth: number): Branch => {
  const items: Item[] = []
  for (let key = next(), isFirst = true; !(isFirst && key.mark === '}'); key = next(), isFirst = false) {
    if (typeof key.scalar !== 'string') throw malformed('a key is not a string')
    if (next().mark !== ':') throw malformed('a colon is missing')
    items.push({ key: key.scalar, value: readValue(next(), next, depth + 1) })
    if (isEnd(next(), '}')) break
  }
  return new Branch(items)
}

const readList = (next: Next, depth: number): SopsValue[] => {
  const items: SopsValue[] = []
  for (let first = next(), isFirst = true; !(isFirst && first.mark === ']'); first = next(), isFirst = false) {
    items.push(readValue(first, next, depth + 1))
    if (isEnd(next(), ']')) break
  }
  return items
}

/** Whether the list or object ends here; otherwise skips the comma. */
const isEnd = ({ mark }: Token, end: string): boolean => {
  if (mark === end) return true
  if (mark === ',') return false
  throw malformed('a comma is missing')
}

const numberOf = (text: string): bigint | number => {
  const value = parseScalar(text) as number
  if (!Number.isFinite(value)) throw malformed('a number is out of range')
  if (!/^-?\d+$/.test(text)) return value
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? integer : value
}

const parseScalar = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('a string or number is not well formed') // and not what it is
  }
}

const malformed = (problem: string): SopsError =>
  new SopsError('format', `Could not unmarshal input data: invalid JSON: ${problem}`)
