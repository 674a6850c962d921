/** Parses expressions. The grammar and type check are the library's; `evaluate.ts` has the semantics. */
import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import { CelError } from './cel-error.ts'
import { allFunctions } from './functions/all.ts'
import { inKnownSyntax, optionalEntry } from './known-syntax.ts'

/** A node of the syntax tree: the type of `args` depends on the operator. */
export interface Node {
  readonly op: string
  readonly args: unknown
}

/** Expressions in manifests are a line or two; these limits keep hostile ones from taking time or stack. */
const maxExpressionLength = 10_000
const limits = { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 32 }

// Lists of mixed types are allowed: `format` takes them, and the library can't distinguish them.
const options = { enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits }
const unchecked = new Environment(options)

/** Fails with a CelError of the stage `parse`. */
export const parse = (text: string): Node => read(unchecked, text).ast as unknown as Node

/**
 * The same for an expression that must be a boolean over objects of these names: type errors are refused at once. Fails with a CelError
 * of the stage `parse`.
 */
export const parseBoolean = (text: string, variables: readonly string[]): Node => {
  const { root, type } = parseTyped(text, variables)
  if (type !== 'bool') throw new CelError('parse', `CEL expression output type mismatch: expected bool, got ${type}`)
  return root
}

/** What is known of variables without data: that they are objects, or nothing. */
export type VariableType = 'map' | 'dyn'

/** The same for a result of any type, as far as it is known without data: `bool`, `dyn`... */
export const parseTyped = (
  text: string,
  variables: readonly string[],
  of: VariableType = 'map',
): { readonly root: Node; readonly type: string } => {
  const parsed = read(environmentWith(variables, of), text)
  const { valid, type = 'dyn', error } = parsed.check()
  if (!valid) throw refusal(text, error)
  return { root: parsed.ast as unknown as Node, type }
}

const read = (environment: Environment, text: string): ParseResult => {
  if (text.length > maxExpressionLength)
    throw new CelError('parse', `the CEL expression is longer than ${maxExpressionLength} characters`)
  try {
    return environment.parse(inKnownSyntax(text))
  } catch (error) {
    throw refusal(text, error)
  }
}

const refusal = (text: string, error: unknown): CelError =>
  new CelError('parse', `failed to parse the CEL expression '${text}': ${(error as Error).message}`, error)

const environmentWith = (variables: readonly string[], of: VariableType = 'map'): Environment => {
  const environment = new Environment(options)
  environment.registerFunction(`${optionalEntry}(dyn): dyn`, () => undefined)
  // Their type depends on their variable: it is left to the evaluation.
  for (const name of ['optMap', 'optFlatMap'])
    environment.registerFunction(`optional.${name}(ast, ast): dyn`, () => ({
      evaluate: () => undefined,
      typeCheck: (checker: { getType(name: string): unknown }) => checker.getType('dyn'),
    }))
  for (const name of variables) environment.registerVariable(name, of)
  const namespaces = new Set(Object.keys(allFunctions).map(signature => /(\w+)::/.exec(signature)?.[1]))
  for (const namespace of namespaces) {
    if (!namespace || namespace === 'optional') continue
    const type = class {}
    environment.registerType(typeOf(namespace), type).registerConstant(namespace, typeOf(namespace), new type())
  }
  for (const signature of Object.keys(allFunctions)) declare(environment, signature)
  for (const signature of unknownToLibrary) declare(environment, signature)
  for (const operator of ['optional<V> == optional<V>', ...['<', '<=', '>', '>='].map(op => `bytes ${op} bytes`)])
    environment.registerOperator(operator, () => undefined)
  return environment
}

const [moment, span] = ['google.protobuf.Timestamp', 'google.protobuf.Duration']

/** Signatures of cel-go's standard library that the library lacks. */
const unknownToLibrary = [
  ...['uint', moment, span].map(type => `int(${type}): int`),
  ...[moment, span].map(type => `string(${type}): string`),
  `timestamp(${moment}): ${moment}`,
  `duration(${span}): ${span}`,
  'matches(string, string): bool',
]

const typeOf = (namespace: string): string => `${namespace[0]!.toUpperCase()}${namespace.slice(1)}Namespace`

/** For the type check only. The library's own signatures take precedence. */
const declare = (environment: Environment, signature: string): void => {
  const declaration = signature
    .replace(/(\w+)::/, (_, namespace: string) => `${typeOf(namespace)}.`)
    .replace('optional', 'optional<dyn>')
  try {
    environment.registerFunction(declaration, () => undefined)
  } catch {}
}
