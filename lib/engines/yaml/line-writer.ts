/** Writes text line by line; tracks the state that the next character depends on, and pending comments. */
export class LineWriter {
  text = ''
  column = 0
  /** The last character written was white space, or the line contains only indentation. */
  whitespace = true
  indention = true
  /** Indentation of the current block; -1 before the first. */
  indent = -1
  /** Indentation of the last foot comment: content at the same indentation needs an empty line before it. */
  footIndent = -1

  /** Pending comments: before the next line, at the end of this one, after the end of the node. */
  head = ''
  line = ''
  foot = ''

  put(text: string): void {
    this.text += text
    this.column += text.length
  }

  break(): void {
    this.text += '\n'
    this.column = 0
    this.indention = true
  }

  startLine(): void {
    const indent = Math.max(this.indent, 0)
    if (!this.indention || (this.column === indent && !this.whitespace)) this.break()
    if (this.footIndent === indent) this.break()
    this.put(' '.repeat(indent - this.column))
    this.whitespace = true
    this.footIndent = -1
  }

  indicator(text: string, gap: boolean, keepsIndention = false): void {
    if (gap && !this.whitespace) this.put(' ')
    this.put(text)
    this.whitespace = false
    this.indention = this.indention && keepsIndention
  }

  /** A comment of one or more lines. */
  comment(text: string): void {
    const lines = text.split('\n')
    lines.forEach((line, i) => {
      if (line === '') {
        if (i < lines.length - 1) this.break()
        return
      }
      if (i > 0) this.startLine()
      this.put(line.startsWith('#') ? line : `# ${line}`)
      this.break()
    })
    this.whitespace = true
  }

  /** Writes the comments above the next line, after the foot of the previous node. */
  writeHead(tail = ''): void {
    if (tail !== '') {
      this.startLine()
      this.comment(tail)
      this.footIndent = Math.max(this.indent, 0)
    }
    if (this.head === '') return
    this.startLine()
    this.comment(this.head)
    this.head = ''
  }

  writeLine(): void {
    if (this.line === '') return
    this.put(' ')
    this.comment(this.line)
    this.line = ''
  }

  writeFoot(): void {
    if (this.foot === '') return
    this.startLine()
    this.comment(this.foot)
    this.foot = ''
    this.footIndent = Math.max(this.indent, 0)
  }
}
