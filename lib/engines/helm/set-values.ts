import { quote } from '../../foundations/go/quote.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { parseJson } from '../template/format/parse-json.ts'
import { typeNameOf, type Value, type ValueMap } from '../template/values/value.ts'
import { HelmError } from './helm-error.ts'
import { isTable } from './read-yaml.ts'

/** The variants of Helm's flag: how each one reads a value. */
export type SetForm = 'set' | 'set-string' | 'set-json' | 'set-literal' | 'set-file'

const MAX_INDEX = 65536
const MAX_DEPTH = 30

/**
 * Applies a `--set` flag to `values`, in place: `a.b=1,c[0]=x,d={1,2}`; `\` escapes the next character. `readFile` returns the text of a file for
 * `set-file`. Throws HelmError with Helm's message.
 */
export const setValues = (
  values: ValueMap,
  text: string,
  form: SetForm,
  readFile: (path: string) => string = noFiles,
): void => {
  try {
    parseSet(values, text, form, readFile)
  } catch (error) {
    const problem = form === 'set-json' ? `failed parsing --set-json data ${text}` : undefined
    throw new HelmError(problem ?? `failed parsing --${form} data: ${errorMessage(error)}`, error)
  }
}

/** Like `setValues`, but errors do not name the flag. */
export const parseSet = (
  values: ValueMap,
  text: string,
  form: SetForm,
  readFile: (path: string) => string = noFiles,
): void => {
  const parser = new SetParser(text, form, readFile)
  try {
    for (;;) parser.key(values, 0)
  } catch (error) {
    if (!(error instanceof SetEnd)) throw error
  }
}

const noFiles = (path: string): never => {
  throw new InvalidSet(`open ${path}: no such file or directory`)
}

class InvalidSet extends Error {}

/** The text ended early. Helm accepts that, and keeps what was set so far. */
class SetEnd extends InvalidSet {}

class SetParser {
  private readonly characters: readonly string[]
  private readonly form: SetForm
  private readonly readFile: (path: string) => string
  private position = 0

  constructor(text: string, form: SetForm, readFile: (path: string) => string) {
    this.characters = [...text]
    this.form = form
    this.readFile = readFile
  }

  /** Reads a key with its value, and sets it in a map. */
  key(target: ValueMap, depth: number): void {
    const { text: key, stop } = this.until(this.form === 'set-literal' ? '=[.' : '=[,.')
    if (stop === undefined) throw key === '' ? new SetEnd() : new InvalidSet(`key ${quote(key)} has no value`)
    if (stop === '[') this.listKey(target, key, depth)
    else if (stop === '.') this.nestedKey(target, key, depth)
    else if (stop === '=') put(target, key, this.value())
    else {
      put(target, key, '')
      throw new InvalidSet(`key ${quote(key)} has no value (cannot end with ,)`)
    }
  }

  private listKey(target: ValueMap, key: string, depth: number): void {
    const index = this.index()
    const present = target.has(key) ? requireList(target.get(key)) : []
    const list = [...present]
    try {
      this.item(list, index, depth)
    } finally {
      put(target, key, list)
    }
  }

  private nestedKey(target: ValueMap, key: string, depth: number): void {
    if (depth >= MAX_DEPTH)
      throw new InvalidSet(`value name nested level is greater than maximum supported nested level of ${MAX_DEPTH}`)
    const inner = target.has(key) ? requireTable(target.get(key)) : new Map<string, Value>()
    try {
      this.key(inner, depth + 1)
    } finally {
      if (inner.size > 0) put(target, key, inner)
    }
    if (inner.size === 0) throw new InvalidSet(`key map ${quote(key)} has no value`)
  }

  /** Reads what follows `[index]`, and sets it in the list. */
  private item(list: Value[], index: number, depth: number): void {
    if (index < 0) throw new InvalidSet(`negative ${index} index not allowed`)
    const { text, stop } = this.until('=[.')
    if (text !== '') throw new InvalidSet(`unexpected data at end of array index: ${quote(text)}`)
    if (stop === undefined) throw new SetEnd()
    if (stop === '=') putItem(list, index, this.value())
    else if (stop === '[') {
      const next = this.index()
      const present = list[index]
      const inner = present === undefined || present === null ? [] : [...requireList(present)]
      this.item(inner, next, depth)
      putItem(list, index, inner)
    } else this.tableItem(list, index, depth)
  }

  private tableItem(list: Value[], index: number, depth: number): void {
    const present = list[index]
    const inner: ValueMap = isTable(present) ? present : new Map()
    if (index < list.length) list[index] = inner
    this.key(inner, depth)
    putItem(list, index, inner)
  }

  private index(): number {
    const { text, stop } = this.until(']')
    if (stop === undefined) throw new SetEnd()
    if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
    const problem = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
    throw new InvalidSet(`error parsing index: strconv.Atoi: parsing ${quote(text)}: ${problem}`)
  }

  private value(): Value {
    if (this.form === 'set-json') return this.jsonValue()
    if (this.form === 'set-literal') return this.rest()
    if (this.ended) return ''
    return this.characters[this.position] === '{' ? this.list() : this.typed(this.until(',').text)
  }

  /** Reads `{a,b}` and the comma after it. */
  private list(): Value[] {
    this.position++
    const items: Value[] = []
    for (;;) {
      const { text, stop } = this.until(',}')
      if (stop === undefined) throw new InvalidSet("list must terminate with '}'")
      items.push(this.typed(text))
      if (stop === ',') continue
      if (this.characters[this.position] === ',') this.position++
      return items
    }
  }

  private jsonValue(): Value {
    if (this.isEmptyValue()) return null
    const end = jsonEnd(this.characters, this.position)
    const json = this.characters.slice(this.position, end).join('')
    this.position = end
    this.isEmptyValue()
    try {
      return parseJson(json)
    } catch (error) {
      throw new InvalidSet((error as Error).message)
    }
  }

  /** Whether the value is empty: skips the comma or end that comes next. */
  private isEmptyValue(): boolean {
    while (!this.ended) {
      const character = this.characters[this.position]!
      if (!/\s/u.test(character) && character !== ',') return false
      this.position++
      if (character === ',') return true
    }
    return true
  }

  private typed(text: string): Value {
    if (this.form === 'set-file') return this.readFile(text)
    if (this.form === 'set-string') return text
    if (/^true$/i.test(text)) return true
    if (/^false$/i.test(text)) return false
    if (/^null$/i.test(text)) return null
    if (text === '0') return 0n
    const integer = /^[+-]?\d+$/.test(text) && text[0] !== '0' ? BigInt(text.replace(/^\+/, '')) : undefined
    return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : text
  }

  private rest(): string {
    const text = this.characters.slice(this.position).join('')
    this.position = this.characters.length
    return text
  }

  /** Reads up to one of the characters, and skips it; `stop` is undefined at the end of the text. */
  private until(stops: string): { readonly text: string; readonly stop: string | undefined } {
    let text = ''
    while (!this.ended) {
      const character = this.characters[this.position++]!
      if (stops.includes(character)) return { text, stop: character }
      if (character !== '\\' || this.form === 'set-literal') text += character
      else text += this.characters[this.position++] ?? ''
    }
    return { text, stop: undefined }
  }

  private get ended(): boolean {
    return this.position >= this.characters.length
  }
}

const put = (target: ValueMap, key: string, value: Value): void => {
  if (key !== '') target.set(key, value)
}

const putItem = (list: Value[], index: number, value: Value): void => {
  if (index > MAX_INDEX)
    throw new InvalidSet(`index of ${index} is greater than maximum supported index of ${MAX_INDEX}`)
  while (list.length < index) list.push(null)
  list[index] = value
}

const requireList = (value: Value): Value[] => {
  if (Array.isArray(value)) return value
  throw mismatch(value, '[]interface {}')
}

const requireTable = (value: Value): ValueMap => {
  if (isTable(value)) return value
  throw mismatch(value, 'map[string]interface {}')
}

const mismatch = (value: Value, wanted: string): InvalidSet => {
  const type = value === null ? 'nil' : typeNameOf(value)
  return new InvalidSet(`unable to parse key: interface conversion: interface {} is ${type}, not ${wanted}`)
}

/** The end of the JSON value that starts here. */
const jsonEnd = (characters: readonly string[], start: number): number => {
  let depth = 0
  for (let at = start; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '"') {
      for (at++; at < characters.length && characters[at] !== '"'; at++) if (characters[at] === '\\') at++
      if (depth === 0) return at + 1
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth <= 0) return at + 1
    } else if (depth === 0 && /[\s,]/u.test(character)) return at
  }
  return characters.length
}
