/**
 * The JSONPath that printer columns may use: names (`.a.b`, `['a.b']`), indexes (`[0]`, `[-1]`), all items (`[*]`) and
 * filters that compare (`[?(@.type=="Ready")]`).
 */

/** Returns the values at a path. */
export type JsonPath = (value: unknown) => unknown[]

type Step = (value: unknown) => unknown[]

/** Fails with an Error that contains the path if it is anything else. */
export const parseJsonPath = (path: string): JsonPath => {
  const steps: Step[] = []
  let rest = path.replace(/^\$/, '')
  while (rest !== '') {
    const found = syntax.map(([pattern, step]) => ({ match: pattern.exec(rest), step })).find(({ match }) => match)
    if (!found?.match) throw new Error(`not a JSONPath for a column: ${JSON.stringify(path)}`)
    steps.push(found.step(found.match))
    rest = rest.slice(found.match[0].length)
  }
  return value => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [value])
}

const name = '[A-Za-z0-9_$/-](?:[A-Za-z0-9_$/-]|\\\\.)*'

const field =
  (key: string): Step =>
  value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return []
    return [(value as Readonly<Record<string, unknown>>)[key]]
  }

const all: Step = value => (typeof value === 'object' && value !== null ? Object.values(value) : [])

const item =
  (index: number): Step =>
  value => {
    const found = Array.isArray(value) ? value.at(index) : undefined
    return found === undefined ? [] : [found]
  }

const filter =
  (path: JsonPath, holds: (value: unknown) => boolean): Step =>
  value =>
    Array.isArray(value) ? value.filter(one => path(one).some(holds)) : []

const syntax: readonly (readonly [RegExp, (match: RegExpExecArray) => Step])[] = [
  [/^(?:\.\*|\[\*\])/, () => all],
  [new RegExp(`^\\.(${name})`), ([, key]) => field(key!.replace(/\\(.)/g, '$1'))],
  [/^\.?\[(-?\d+)\]/, ([, index]) => item(Number(index))],
  [/^\.?\[(?:'([^']*)'|"([^"]*)")\]/, ([, single, double]) => field((single ?? double)!)],
  [
    /^\.?\[\?\(\s*@((?:\.[\w-]+|\['[^']*'\])+)\s*(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|-?\d+(?:\.\d+)?|true|false)\s*\)\]/,
    ([, path, operator, literal]) => filter(parseJsonPath(path!), comparison(operator!, literalValue(literal!))),
  ],
  [/^\.?\[\?\(\s*@((?:\.[\w-]+|\['[^']*'\])+)\s*\)\]/, ([, path]) => filter(parseJsonPath(path!), () => true)],
]

const literalValue = (literal: string): unknown => {
  if (/^['"]/.test(literal)) return literal.slice(1, -1)
  return literal === 'true' || literal === 'false' ? literal === 'true' : Number(literal)
}

const comparison =
  (operator: string, expected: unknown) =>
  (value: unknown): boolean => {
    if (operator === '==') return value === expected
    if (operator === '!=') return value !== expected
    if (typeof value !== typeof expected) return false
    const [a, b] = [value as number, expected as number]
    if (operator === '<') return a < b
    if (operator === '>') return a > b
    return operator === '<=' ? a <= b : a >= b
  }
