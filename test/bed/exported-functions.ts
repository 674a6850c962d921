import { type ParseResult, parseSync } from 'oxc-parser'

/** A function that a module exports at its top level, declared or assigned to a constant. */
export interface ExportedFunction {
  readonly name: string
  /** Where it begins, from 1. */
  readonly line: number
  /** A comment ends on the line before it, or before its first overload. */
  readonly hasDocstring: boolean
  /** `isReady = (...) => ...` or `hasX`, in at most three lines: one expression, which says all that a sentence could. */
  readonly isShortPredicate: boolean
}

/** The exported functions of a TypeScript source, in order. `path` decides between ts and tsx. Throws an Error for a text that doesn't parse. */
export function exportedFunctions(path: string, text: string): readonly ExportedFunction[] {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
  const ends = comments.map(({ end }) => end)
  const found = new Map<string, ExportedFunction>()
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const name = functionIn(statement.declaration)
    if (name === undefined || found.has(name)) continue
    const code = text.slice(statement.start, statement.end)
    found.set(name, {
      name,
      line: linesOf(text.slice(0, statement.start)),
      hasDocstring: ends.some(end => end <= statement.start && /^\r?\n$/.test(text.slice(end, statement.start))),
      isShortPredicate: /^(is|has)[A-Z]/.test(name) && /=>\s*[^{\s]/.test(code) && linesOf(code) <= 3,
    })
  }
  return [...found.values()]
}

const linesOf = (text: string): number => text.split('\n').length

type Declared = Extract<ParseResult['program']['body'][number], { type: 'ExportNamedDeclaration' }>['declaration']

/** The name of the function that an export declares. A statement declares one thing in this code, and nothing is exported by default. */
const functionIn = (declaration: Declared): string | undefined => {
  if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'TSDeclareFunction')
    return declaration.id?.name
  if (declaration?.type !== 'VariableDeclaration') return undefined
  const [{ id, init } = { id: undefined, init: undefined }] = declaration.declarations
  const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression'
  return isFunction && id?.type === 'Identifier' ? id.name : undefined
}
