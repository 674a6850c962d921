import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'

/** A template and what it is run with. */
export interface GeneratedTemplate {
  readonly functions: 'resourceset' | 'sprig'
  readonly template: string
  readonly data: unknown
}

const data = {
  name: 'Feat/One_Two',
  empty: '',
  version: '1.20.3',
  n: 7,
  zero: 0,
  minus: -3,
  float: 2.5,
  yes: true,
  no: false,
  nothing: null,
  list: ['b', 'a', 'c', 'a'],
  numbers: [3, 1, 2],
  mixed: ['x', 1, true, null, { k: 'v' }],
  none: [],
  map: { b: 2, a: 1, c: { d: ['e', 'f'], g: { h: 'i' } } },
  bare: {},
  text: 'line one\nline "two"\n\ttabbed <&>',
  unicode: 'Grüße, 世界 – ñandú',
  json: '{"a":[1,2.5,"x",null]}',
}

/** Sorts of values, so that most calls get what they are made for. */
type Sort = 'text' | 'number' | 'int' | 'list' | 'map' | 'flag' | 'any'

const fields: Readonly<Record<Sort, readonly string[]>> = {
  text: ['name', 'empty', 'version', 'text', 'unicode', 'json'],
  number: ['n', 'zero', 'minus', 'float'],
  int: [],
  list: ['list', 'numbers', 'mixed', 'none', 'map.c.d'],
  map: ['map', 'bare', 'map.c', 'map.c.g'],
  flag: ['yes', 'no'],
  any: ['name', 'n', 'list', 'map', 'yes', 'nothing', 'float', 'mixed', 'map.c.g.h'],
}

/** Asked for now and then: what is not there. */
const wrong = ['missing', 'map.missing', 'name.wrong', 'n.x', 'nothing.x']

const literals: Readonly<Record<Sort, readonly string[]>> = {
  text: ['"abc"', '"a b"', '""', '`raw "x"`', '"q\\"\\n"', '"12"', '"é"', '"a,b,c"', "'x'"],
  number: ['0', '1', '-2', '3.5', '1e3', '0x1F', '017', '1_000', "'a'", '2i'],
  int: ['0', '1', '2', '3', '5', '-1', '0x10', "'a'", '(int "4")', '(len "abc")'],
  list: ['(list 1 2 3)', '(list "x" "y")', '(until 3)', '(split "," "a,b")', '(list)'],
  map: ['(dict "k" 1)', '(dict)', '(dict "a" (list 1) "b" (dict "c" true))'],
  flag: ['true', 'false'],
  any: ['"a"', '1', 'true', '(list 1 "x")', '(dict "k" 2.5)'],
}

/** Functions by what they take and give. The last parameter is what is piped. */
const calls: readonly (readonly [name: string, gives: Sort, ...takes: Sort[]])[] = [
  ...(['upper', 'lower', 'title', 'trim'] as const).map(name => [name, 'text', 'text'] as const),
  ...(
    ['quote', 'squote', 'toString', 'toJson', 'toPrettyJson', 'html', 'js', 'urlquery', 'print', 'println'] as const
  ).map(name => [name, 'text', 'any'] as const),
  ...(['b64enc', 'b32enc', 'sha256sum', 'sha1sum', 'adler32sum', 'base', 'dir', 'ext', 'clean'] as const).map(
    name => [name, 'text', 'text'] as const,
  ),
  ['b64dec', 'text', 'text'],
  ['trimPrefix', 'text', 'text', 'text'],
  ['trimSuffix', 'text', 'text', 'text'],
  ['trimAll', 'text', 'text', 'text'],
  ['trunc', 'text', 'int', 'text'],
  ['substr', 'text', 'int', 'int', 'text'],
  ['repeat', 'text', 'int', 'text'],
  ['replace', 'text', 'text', 'text', 'text'],
  ['indent', 'text', 'int', 'text'],
  ['nindent', 'text', 'int', 'text'],
  ['cat', 'text', 'any', 'any'],
  ['plural', 'text', 'text', 'text', 'int'],
  ['contains', 'flag', 'text', 'text'],
  ['hasPrefix', 'flag', 'text', 'text'],
  ['hasSuffix', 'flag', 'text', 'text'],
  ['join', 'text', 'text', 'list'],
  ['splitList', 'list', 'text', 'text'],
  ['split', 'map', 'text', 'text'],
  ['splitn', 'map', 'text', 'int', 'text'],
  ['sortAlpha', 'list', 'list'],
  ['regexMatch', 'flag', 'text', 'text'],
  ['regexFind', 'text', 'text', 'text'],
  ['regexFindAll', 'list', 'text', 'text', 'int'],
  ['regexReplaceAll', 'text', 'text', 'text', 'text'],
  ['regexSplit', 'list', 'text', 'text', 'int'],
  ...(['int64', 'float64', 'toDecimal'] as const).map(name => [name, 'number', 'any'] as const),
  ...(['add', 'mul', 'sub', 'div', 'mod', 'max', 'min'] as const).map(
    name => [name, 'number', 'number', 'number'] as const,
  ),
  ...(['add1', 'floor', 'ceil'] as const).map(name => [name, 'number', 'number'] as const),
  ['round', 'number', 'number', 'number'],
  ['int', 'int', 'any'],
  ['len', 'int', 'list'],
  ['len', 'int', 'any'],
  ['default', 'any', 'any', 'any'],
  ['coalesce', 'any', 'any', 'any'],
  ['empty', 'flag', 'any'],
  ['ternary', 'any', 'any', 'any', 'flag'],
  ['all', 'flag', 'any', 'any'],
  ['any', 'flag', 'any', 'any'],
  ...(['first', 'last'] as const).map(name => [name, 'any', 'list'] as const),
  ...(['rest', 'initial', 'reverse', 'uniq', 'compact'] as const).map(name => [name, 'list', 'list'] as const),
  ['without', 'list', 'list', 'any'],
  ['has', 'flag', 'any', 'list'],
  ['slice', 'list', 'list', 'int', 'int'],
  ['append', 'list', 'list', 'any'],
  ['prepend', 'list', 'list', 'any'],
  ['concat', 'list', 'list', 'list'],
  ['until', 'list', 'int'],
  ['untilStep', 'list', 'int', 'int', 'int'],
  ['seq', 'text', 'int', 'int'],
  ['list', 'list', 'any', 'any'],
  ['dict', 'map', 'text', 'any'],
  ['get', 'any', 'map', 'text'],
  ['set', 'map', 'map', 'text', 'any'],
  ['unset', 'map', 'map', 'text'],
  ['hasKey', 'flag', 'map', 'text'],
  ['pick', 'map', 'map', 'text'],
  ['omit', 'map', 'map', 'text'],
  ['pluck', 'list', 'text', 'map'],
  ['dig', 'any', 'text', 'any', 'map'],
  ['keys', 'list', 'map'],
  ['values', 'list', 'map'],
  ['index', 'any', 'list', 'int'],
  ['index', 'any', 'map', 'text'],
  ['slice', 'text', 'text', 'int'],
  ['kindOf', 'text', 'any'],
  ['typeOf', 'text', 'any'],
  ['kindIs', 'flag', 'text', 'any'],
  ['typeIs', 'flag', 'text', 'any'],
  ['deepEqual', 'flag', 'any', 'any'],
  ...(['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const).map(name => [name, 'flag', 'number', 'number'] as const),
  ...(['eq', 'ne', 'lt', 'ge'] as const).map(name => [name, 'flag', 'text', 'text'] as const),
  ['eq', 'flag', 'any', 'any'],
  ...(['and', 'or'] as const).map(name => [name, 'any', 'any', 'any'] as const),
  ['not', 'flag', 'any'],
  ['printf', 'text', 'text', 'any'],
  ['fromJson', 'any', 'text'],
  ['mustFromJson', 'any', 'text'],
  ['fail', 'any', 'text'],
  ['atoi', 'int', 'text'],
  ['toStrings', 'list', 'list'],
  ['urlParse', 'map', 'text'],
  ['osBase', 'text', 'text'],
  ['isAbs', 'flag', 'text'],
]
/** In sprig only. */
const ofSprig: readonly (readonly [name: string, gives: Sort, ...takes: Sort[]])[] = [
  ...(['untitle', 'nospace', 'initials', 'snakecase', 'camelcase', 'kebabcase', 'swapcase'] as const).map(
    name => [name, 'text', 'text'] as const,
  ),
  ['abbrev', 'text', 'int', 'text'],
  ['wrap', 'text', 'int', 'text'],
  ['wrapWith', 'text', 'int', 'text', 'text'],
  ['merge', 'map', 'map', 'map'],
  ['mergeOverwrite', 'map', 'map', 'map'],
  ['deepCopy', 'any', 'any'],
  ['semver', 'any', 'text'],
  ['semverCompare', 'flag', 'text', 'text'],
  ['sha512sum', 'text', 'text'],
  ['toToml', 'text', 'map'],
  ['toToml', 'text', 'map'],
  ['addf', 'number', 'number', 'number'],
  ['mulf', 'number', 'number', 'number'],
]

/** In the set of a ResourceSet only. */
const ofResourceSets: readonly (readonly [name: string, gives: Sort, ...takes: Sort[]])[] = [
  ['slugify', 'text', 'text'],
  ['toYaml', 'text', 'any'],
  ['mustToYaml', 'text', 'any'],
]
/** Not in slim-sprig, so that they are parse errors there; or of other meaning in sprig. */
const verbs = [
  '%v',
  '%s',
  '%d',
  '%q',
  '%5d',
  '%-6s|',
  '%x',
  '%T',
  '%t',
  '%.2f',
  '%+v',
  '%#v',
  '%%',
  '%c',
  '%U',
  '%e',
  '%g',
  '%08.3f',
  '%[1]v',
  '%*d',
]

/** The order of a map's keys is random in Go. */
const unordered = new Set(['keys', 'values', 'pluck'])

/** A map within itself has no end, and Go's stack overflows printing it. */
const changing = new Set(['set', 'merge', 'mergeOverwrite'])
const neverPiped = new Set([...unordered, ...changing, 'slice', 'b64dec'])

const sorts: readonly Sort[] = ['text', 'number', 'int', 'list', 'map', 'flag', 'any']

/** One template for each seed: mostly sound, at times with an argument of another type, at times damaged as text. */
export const generatedTemplate = (seed: number, functions: GeneratedTemplate['functions']): GeneratedTemplate => {
  const random = seededRandom(seed)
  const grammar = new Grammar(random, functions)
  let template = grammar.body(0)
  if (random.below(12) === 0) template = damaged(template, random)
  return { functions, template, data }
}

class Grammar {
  private readonly random: SeededRandom
  private readonly left: string
  private readonly right: string
  private readonly root: string
  private readonly known: readonly (readonly [string, Sort, ...Sort[]])[]
  private variables: string[] = []
  private definitions = 0

  constructor(random: SeededRandom, functions: GeneratedTemplate['functions']) {
    this.random = random
    const isSet = functions === 'resourceset'
    this.left = isSet ? '<<' : '{{'
    this.right = isSet ? '>>' : '}}'
    this.root = isSet ? 'inputs' : '$'
    this.known = isSet ? [...calls, ...ofResourceSets] : [...calls, ...ofSprig]
  }

  body(depth: number): string {
    const parts = Array.from({ length: 1 + this.random.below(3) }, () => this.part(depth))
    return parts.join(this.random.pick(['', ' ', '\n', ' x ']))
  }

  private part(depth: number): string {
    const chance = this.random.below(depth > 2 ? 6 : 16)
    if (chance < 2) return this.random.pick(['text', 'a: ', '\n  - ', '"', '# c\n', 'é', '{ }', '> <'])
    if (chance < 6) return this.action(this.pipeline(this.random.pick(sorts), depth))
    switch (chance) {
      case 6:
        return this.block(`if ${this.pipeline('flag', depth)}`, depth, this.random.pick(['', 'else', 'else if yes']))
      case 7:
        return this.block(`with ${this.pipeline('any', depth)}`, depth, this.random.pick(['', 'else']))
      case 8:
        return this.block(
          `range ${this.pipeline(this.random.pick(['list', 'map', 'number', 'any']), depth)}`,
          depth,
          '',
        )
      case 9:
        return this.ranging(depth)
      case 10:
        return this.declaring(depth)
      case 11:
        return this.defining(depth)
      case 12:
        return this.oddity()
      default:
        return this.action(this.pipeline('text', depth))
    }
  }

  private oddity(): string {
    const comment = this.random.pick([
      `${this.left}/* a comment */${this.right}`,
      `${this.left}- /* it */ -${this.right}`,
    ])
    if (this.random.below(3) > 0) return comment
    return this.action(
      this.random.pick(['- 3 -', '"a" | printf "%s%s" "b"', 'break', '$undefined', '.x.y', 'nope 1', '']),
    )
  }

  private action(content: string): string {
    const [before, after] = [this.random.below(6) === 0 ? '- ' : ' ', this.random.below(6) === 0 ? ' -' : ' ']
    return `${this.left}${before}${content}${after}${this.right}`
  }

  private block(opening: string, depth: number, otherwise: string): string {
    const middle =
      otherwise === ''
        ? ''
        : this.action(otherwise === 'else if yes' ? `else if ${this.pipeline('flag', depth)}` : otherwise) +
          this.body(depth + 1)
    const variables = this.variables
    const inner = this.body(depth + 1)
    this.variables = variables
    return `${this.action(opening)}${inner}${middle}${this.action('end')}`
  }

  private ranging(depth: number): string {
    const variables = this.variables
    const over = this.pipeline(this.random.pick(['list', 'map']), depth)
    this.variables = [...variables, '$k', '$v']
    const inner = this.body(depth + 1)
    const leave = this.random.below(4) === 0 ? this.action(this.random.pick(['break', 'continue'])) : ''
    this.variables = variables
    return `${this.action(`range $k, $v := ${over}`)}${inner}${leave}${this.action('end')}`
  }

  private declaring(depth: number): string {
    const name = this.random.pick(['$x', '$y'])
    const isKnown = this.variables.includes(name)
    const text = this.action(
      `${name} ${isKnown && this.random.below(2) === 0 ? '=' : ':='} ${this.pipeline(this.random.pick(sorts), depth)}`,
    )
    this.variables = [...this.variables, name]
    return text
  }

  private defining(depth: number): string {
    // Names of their own: a template that calls itself can take all time and memory.
    const name = `name${++this.definitions}`
    const variables = this.variables
    this.variables = []
    const inner = this.body(depth + 1)
    this.variables = variables
    const use = this.action(`template "${name}" ${this.operand('any', depth)}`)
    return depth === 0 && this.random.below(2) === 0
      ? `${this.action(`define "${name}"`)}${inner}${this.action('end')}${use}`
      : `${this.action(`block "${name}" ${this.operand('any', depth)}`)}${inner}${this.action('end')}`
  }

  private pipeline(sort: Sort, depth: number): string {
    const [first, second] = [this.command(sort, depth), this.random.below(3)]
    if (second !== 0) return first
    const fitting = this.known.filter(([name, , ...takes]) => takes.at(-1) === sort && !neverPiped.has(name))
    if (fitting.length === 0) return first
    const [name, , ...takes] = this.random.pick(fitting)
    return `${first} | ${[name, ...takes.slice(0, -1).map(take => this.operand(take, depth + 1))].join(' ')}`
  }

  private command(sort: Sort, depth: number): string {
    if (depth > 3 || this.random.below(3) === 0) return this.operand(sort, depth)
    const fitting = this.known.filter(([, gives]) => gives === sort || sort === 'any')
    const [name, , ...takes] = this.random.pick(fitting)
    if (unordered.has(name)) return this.operand(sort, depth)
    if (name === 'printf') return `printf ${JSON.stringify(this.random.pick(verbs))} ${this.operand('any', depth + 1)}`
    if (name === 'set') return `set ${this.operand('map', depth + 1)} "k" ${this.random.pick(literals.text)}`
    if (name === 'set') return `set ${this.operand('map', depth + 1)} "k" ${this.random.pick(literals.text)}`
    if (name === 'b64dec')
      return `b64dec ${this.random.pick(['"aGVsbG8="', '"aGk"', '"/4Bh"', '"a b"', '"YQ==x"', '""'])}`
    // Go lets a slice reach up to its capacity, which depends on how its memory grew.
    if (name === 'slice') return `slice ${this.operand(takes[0]!, depth + 1)} 0`
    if (changing.has(name)) return `${name} ${this.random.pick(literals.map)} ${this.operand('map', depth + 1)}`
    const operands = takes.map(take =>
      this.operand(this.random.below(30) === 0 ? this.random.pick(sorts) : take, depth + 1),
    )
    const count = this.random.below(40) === 0 ? operands.slice(1) : operands
    return [name, ...count].join(' ')
  }

  private operand(sort: Sort, depth: number): string {
    const chance = this.random.below(10)
    if (this.random.below(60) === 0) return `${this.root}.${this.random.pick(wrong)}`
    if (chance < 5 && fields[sort].length > 0) return `${this.root}.${this.random.pick(fields[sort])}`
    if (chance < 7) return this.random.pick(literals[sort])
    if (chance === 7 && this.variables.length > 0) return this.random.pick(this.variables)
    if (depth < 4) return `(${this.command(sort, depth + 1)})`
    return this.random.pick(literals[sort])
  }
}

const damaged = (text: string, random: SeededRandom): string => {
  const at = random.below(text.length + 1)
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1)
    case 1:
      return (
        text.slice(0, at) +
        random.pick(['(', ')', '|', '"', '.', '$', '>>', '<<', '}}', '{{', ' ', '-', ':=', ',']) +
        text.slice(at)
      )
    case 2:
      return text.slice(0, at)
    default:
      return text.slice(0, at) + text.slice(at, at + 6) + text.slice(at)
  }
}
