import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/cel')

const allPieces = because(
  'none of the pieces are put together again where there are as many as asked for; no limit is 0 here',
)
const memory = because('what is remembered only spares time, and forgetting it only memory')
const wrapped = because('all errors of an evaluation are wrapped in one that says so')

export const explained: readonly Explanation[] = [
  because('tells more to who looks for a fault of ours')('cel-error.ts', 'super(message, { cause })', '{ cause } → {}'),
  wrapped('cel-error.ts', "super('evaluation', `no such attribute(s): ${path}`)", '\'evaluation\' → ""'),
  wrapped('cel-error.ts', "new CelError('evaluation', message, undefined, withoutValues)", '\'evaluation\' → ""'),
  memory('constant.ts', 'if (result === undefined) {', 'result === undefined → true'),
  memory('constant.ts', 'known.set(node, result)', 'known.set(node, result) → ;'),
  because('any text tells it from others')(
    'map.ts',
    "if (key instanceof Optional && key.value === undefined) return 'nothing'",
    '\'nothing\' → ""',
  ),
  because('what has more closed than opened is refused by the library')(
    'known-syntax.ts',
    'const inner = open.at(-1) ?? bracket(false)',
    'false → true',
  ),
  memory('matches.ts', 'if (known) return known', 'known → false'),
  ...[
    'compiled.size >= maxCompiled → true',
    'compiled.size >= maxCompiled → false',
    'compiled.size >= maxCompiled → compiled.size > maxCompiled',
    'compiled.size >= maxCompiled → compiled.size < maxCompiled',
    'compiled.clear() → ;',
  ].map(change => memory('matches.ts', 'if (compiled.size >= maxCompiled) compiled.clear()', change)),
  memory('matches.ts', 'compiled.set(expression, regex)', 'compiled.set(expression, regex) → ;'),
  because('reading an expression throws no other errors')(
    'health-expressions.ts',
    'if (!(error instanceof CelError)) throw error',
    '!(error instanceof CelError) → false',
  ),
  because('constants have no names in them to be asked for')(
    'require-sound.ts',
    'const nothing = { find: () => undefined }',
    '{ find: () => undefined } → {}',
  ),
  allPieces(
    'functions/strings.ts',
    'if (limit < 0n || pieces.length <= limit) return pieces',
    'limit < 0n → limit <= 0n',
  ),
  allPieces(
    'functions/strings.ts',
    'if (limit < 0n || pieces.length <= limit) return pieces',
    'pieces.length <= limit → pieces.length < limit',
  ),
  because('what is no list has no items whose sizes could be looked up by it')(
    'cost/calls.ts',
    'const absent: Estimate = { cost: 0, type: dyn, path: [], size: exactly(0) }',
    '[] → ["Stryker was here"]',
  ),
  because('an offset of 0 is written Z before it comes to that')(
    'functions/time.ts',
    "return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`",
    'offset < 0 → offset <= 0',
  ),
  ...(
    [
      ['const free: Evaluator = { run, spend, charge: () => {}, isMetered: false }', 'false → true'],
      ['if (isMetered) charge(cost(a, b))', 'isMetered → true'],
      ['if (isMetered) charge(callCost(key, values, result))', 'isMetered → true'],
    ] as const
  ).map(([line, change]) => because('spares the reckoning of costs that nobody counts')('evaluate.ts', line, change)),
  ...[
    [
      'functions/format.ts',
      "if (typeof value === 'number') return special(value) ?? formatFloat(value, 'f', -1)",
    ] as const,
    ['functions/time.ts', "return `${formatFloat(seconds, 'f', -1)}s`"] as const,
  ].map(([file, line]) => because('what is neither e nor g is f')(file, line, `'f' → ""`)),
  because('so many digits and their point are too long a text anyway')(
    'functions/format.ts',
    'if (Number(precision) > maxLength) throw tooLong()',
    'Number(precision) > maxLength → Number(precision) >= maxLength',
  ),
]
