/** Text that is written line by line, with what the next character depends on, and the comments that are to come. */
export class LineWriter {
  text = ''
  column = 0
  /** The last character written was white space, or nothing was written on the line but indentation. */
  whitespace = true
  indention = true
  /** Of the block being written; -1 before the first. */
  indent = -1
  /** A foot comment of this indentation was written: what follows at the same one gets an empty line between. */
  footIndent = -1

  /** Comments that wait for their place: before the next line, behind this one, below what ends. */
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

  /** What comes above the next line, below the foot of what came before. */
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
