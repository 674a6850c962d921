import { CR, isBreak, LF } from './characters.ts'
import type { Mark } from './token.ts'
import { YamlError } from './yaml-error.ts'

const LINE = /[^\0\n\r\x85\u2028\u2029]*/y

/** A position in the text that tracks line and column. */
export class Cursor {
  readonly text: string
  pos = 0
  line = 0
  lineStart = 0

  constructor(text: string) {
    this.text = `${text}\0\0\0\0`
  }

  get column(): number {
    return this.pos - this.lineStart
  }

  at(offset = 0): number {
    return this.text.charCodeAt(this.pos + offset)
  }

  /** Consumes what a sticky pattern matches here, and returns it; '' without a match. */
  take(pattern: RegExp): string {
    const from = this.pos
    pattern.lastIndex = from
    if (pattern.test(this.text)) this.pos = pattern.lastIndex
    return this.text.slice(from, this.pos)
  }

  /** Consumes the rest of the line, and returns it. */
  takeLine(): string {
    return this.take(LINE)
  }

  mark(): Mark {
    return { index: this.pos, line: this.line, column: this.pos - this.lineStart }
  }

  /** Whether this is the end of the text: NULs within the text were refused earlier. */
  atEnd(): boolean {
    return this.text.charCodeAt(this.pos) === 0
  }

  /** Consumes one line break and returns it as YAML reads it: all ASCII forms and NEL as a newline. */
  takeBreak(): string {
    const c = this.at()
    if (!isBreak(c)) return ''
    this.pos += c === CR && this.at(1) === LF ? 2 : 1
    this.line++
    this.lineStart = this.pos
    return c === 0x2028 || c === 0x2029 ? String.fromCharCode(c) : '\n'
  }

  /** `---` or `...` at the start of a line, followed by white space. */
  atDocumentIndicator(): boolean {
    if (this.column !== 0) return false
    const c = this.at()
    if ((c !== 45 && c !== 46) || this.at(1) !== c || this.at(2) !== c) return false
    const after = this.at(3)
    return after === 32 || after === 9 || after === 0 || isBreak(after)
  }

  /** A scanner error; go-yaml reports the line where the construct began, unless that is the first. */
  fault(problem: string, began: Mark = this.mark()): YamlError {
    const met = this.line > 0 ? this.line + 1 : 0
    const line = began.line > 0 ? began.line + 1 : met
    return new YamlError(problem, line, '', met || began.line)
  }
}
